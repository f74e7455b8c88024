// Serves the built site on this machine only, on the port that is given (0: any free one).
import { preview } from 'vite'

const server = await preview({
  configFile: false,
  appType: 'mpa',
  build: { outDir: '.vitepress/dist' },
  preview: { host: '127.0.0.1', port: Number(process.argv[2]), strictPort: true },
})
console.log(`http://127.0.0.1:${server.httpServer.address().port}/`)
