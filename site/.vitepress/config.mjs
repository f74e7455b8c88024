// The site: the repository's own Markdown, with a menu (pages.json), search and drawn diagrams.
import { cpSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { withMermaid } from 'vitepress-plugin-mermaid'

const root = fileURLToPath(new URL('../..', import.meta.url))
const groups = Object.entries(JSON.parse(readFileSync(new URL('../pages.json', import.meta.url), 'utf8')))
const pages = groups.flatMap(([, of]) => of)
const address = (page) => '/' + page.replace(/README\.md$/, '').replace(/\.md$/, '.html')
const title = (page) => readFileSync(join(root, page), 'utf8').match(/^# (.*)$/m)[1].replaceAll('`', '')

const icon = readFileSync(join(root, 'outbox-console/src/main/resources/io/outbox/console/assets/icon.svg'))

// Files that pages link to and that are no pages themselves: the site has copies of them.
const files = new Set()

/** Links work in the repository; this makes the same ones work here. */
function adaptLinks(md) {
  md.core.ruler.push('links-of-the-repository', (state) => {
    for (const { children } of state.tokens) {
      const dropped = []
      for (const token of children ?? []) {
        if (token.type === 'link_open') {
          const link = adapted(token.attrGet('href'), state.env)
          if (link === null) token.hidden = true
          else token.attrSet('href', link)
          dropped.push(link === null)
        } else if (token.type === 'link_close') {
          token.hidden = dropped.pop()
        }
      }
    }
  })
  const { link_open, link_close } = md.renderer.rules
  const unlessHidden = (rule) => (tokens, i, options, env, self) =>
    tokens[i].hidden ? '' : rule ? rule(tokens, i, options, env, self) : self.renderToken(tokens, i, options)
  md.renderer.rules.link_open = unlessHidden(link_open)
  md.renderer.rules.link_close = unlessHidden(link_close)
}

/** Where a link leads in the site; null if only the repository has what it names. */
function adapted(link, env) {
  if (/^([a-z]+:|#)/.test(link)) return link
  const [path, anchor] = link.split('#')
  const page = relative(root, env.realPath ?? env.path).replaceAll('\\', '/')
  const target = posix.join(posix.dirname(page), path)
  if (!existsSync(join(root, target))) throw new Error(`${page} links ${link}, which does not exist`)
  if (pages.includes(target)) return link.replace(/README\.md/, 'index.md')
  if (target.endsWith('.md')) throw new Error(`${page} links ${link}, which is not in site/pages.json`)
  if (statSync(join(root, target)).isDirectory()) return null
  files.add(target)
  return '/' + target + (anchor ? '#' + anchor : '')
}

/** The names of headings as GitHub makes them: links into pages are written for those. */
const slugify = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\- _]/gu, '')
    .replaceAll(' ', '-')

/** The pages are not beside node_modules: while they are rendered, Vue is looked for from here. */
const vueForPages = {
  name: 'vue-for-pages',
  enforce: 'pre',
  resolveId: (id, _, { ssr }) => (ssr && /^vue(\/|$)/.test(id) ? { id, external: true } : null),
}

export default withMermaid({
  title: 'outbox',
  description: 'A transactional outbox for Java',
  lang: 'en-US',
  head: [
    ['link', { rel: 'icon', href: 'data:image/svg+xml;base64,' + icon.toString('base64') }],
    ['style', {}, readFileSync(new URL('style.css', import.meta.url), 'utf8')],
  ],
  srcDir: '..',
  outDir: '.vitepress/dist',
  cacheDir: '.vitepress/cache',
  srcExclude: ['!(docs|benchmarks)/**/*.md', 'benchmarks/*/**'],
  rewrites: Object.fromEntries(pages.filter((page) => page.endsWith('README.md')).map((page) => [page, page.replace('README.md', 'index.md')])),
  // All others fail the build.
  ignoreDeadLinks: [(link) => files.has(link.slice(1))],
  markdown: {
    anchor: { slugify },
    config: adaptLinks,
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    externalLinkIcon: true,
    sidebar: groups.map(([text, of]) => ({
      text,
      items: of.map((page) => ({ text: title(page), link: address(page) })),
    })),
  },
  vite: { plugins: [vueForPages], build: { chunkSizeWarningLimit: 4096 } },
  // The plugin draws diagrams. Mermaid itself looks for its own class when a page has loaded, and would fail on them.
  mermaidPlugin: { class: 'diagram' },
  mermaid: {
    theme: 'neutral',
    startOnLoad: false,
    fontFamily: 'inherit',
    // As large as they are; style.css makes them fit.
    flowchart: { useMaxWidth: false },
    state: { useMaxWidth: false },
    sequence: { useMaxWidth: false, mirrorActors: false, width: 100, actorMargin: 16 },
  },
  buildEnd({ outDir }) {
    for (const file of files) {
      mkdirSync(dirname(join(outDir, file)), { recursive: true })
      cpSync(join(root, file), join(outDir, file))
    }
  },
})
