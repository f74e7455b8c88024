package io.outbox.testbrokers;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Passes connections on a free port of this machine to a server, until it is told not to.
 * Thread-safe.
 */
public final class TcpProxy implements AutoCloseable {

  private enum Mode {
    PASSING,
    FROZEN,
    CUT
  }

  private static final int CONNECT_TIMEOUT_MS = 5_000;
  private static final int BUFFER_BYTES = 64 * 1024;

  private final ServerSocket listening;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private volatile InetSocketAddress target;
  private Mode mode = Mode.PASSING;
  private int generation; // of connections; those of an earlier one pass nothing

  private TcpProxy(InetSocketAddress target, ServerSocket listening) {
    this.target = target;
    this.listening = listening;
  }

  /** A proxy that passes everything to a server. */
  public static TcpProxy to(String host, int port) {
    try {
      ServerSocket listening = new ServerSocket(0, 200, InetAddress.getByName("127.0.0.1"));
      TcpProxy proxy = new TcpProxy(new InetSocketAddress(host, port), listening);
      daemon("accept", proxy::accept);
      return proxy;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Where clients connect to; {@code 127.0.0.1} in text. */
  public String host() {
    return "127.0.0.1";
  }

  public int port() {
    return listening.getLocalPort();
  }

  /** From now on new connections go to another server. */
  public void retarget(String host, int port) {
    target = new InetSocketAddress(host, port);
  }

  /** How many connections there are. */
  public int connections() {
    return sockets.size() / 2; // one socket to each side
  }

  /** Closes every connection, and each new one as soon as it is made. */
  public void cut() {
    switchTo(Mode.CUT);
    sockets.forEach(TcpProxy::reset);
  }

  /** Keeps all connections, takes new ones, and passes nothing. */
  public void freeze() {
    switchTo(Mode.FROZEN);
  }

  /** Passes everything again, what was held back first. */
  public void restore() {
    switchTo(Mode.PASSING);
  }

  /** Passes new connections again; those that were frozen stay open and pass nothing any more. */
  public synchronized void restoreForNewConnections() {
    generation++;
    switchTo(Mode.PASSING);
  }

  @Override
  public void close() {
    cut();
    try {
      listening.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private synchronized void switchTo(Mode next) {
    mode = next;
    notifyAll();
  }

  /** Whether the socket may be used; one that comes too late for a cut is closed here. */
  private synchronized boolean admit(Socket socket) {
    if (mode == Mode.CUT) {
      reset(socket);
      return false;
    }
    sockets.add(socket);
    return true;
  }

  private synchronized int generation() {
    return generation;
  }

  private synchronized void awaitPassing(int of) throws InterruptedException, SocketException {
    while (mode == Mode.FROZEN || (of < generation && mode != Mode.CUT)) {
      wait();
    }
    if (mode == Mode.CUT) {
      throw new SocketException("cut");
    }
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        Socket client = listening.accept();
        if (admit(client)) {
          daemon("connect", () -> connect(client));
        }
      } catch (IOException e) {
        if (!listening.isClosed()) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }

  private void connect(Socket client) {
    Socket server = new Socket();
    int of = generation();
    try {
      awaitPassing(of);
      server.connect(target, CONNECT_TIMEOUT_MS);
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
      if (admit(server)) {
        daemon("from-server", () -> pump(of, server, client));
        pump(of, client, server);
      } else {
        end(client);
      }
    } catch (IOException | InterruptedException e) {
      end(client);
      end(server);
    }
  }

  private void pump(int of, Socket from, Socket to) {
    try {
      boolean gently = copy(of, from, to);
      awaitPassing(of); // an end is passed on no sooner than anything else
      if (gently) {
        to.shutdownOutput();
        if (from.isOutputShutdown()) {
          endGently(from);
          endGently(to);
        }
        return;
      }
    } catch (IOException | InterruptedException e) {
      // tells the other side, whichever side closed it
    }
    end(from);
    end(to);
  }

  /** Returns whether it was closed gently, not reset. */
  private boolean copy(int of, Socket from, Socket to) throws InterruptedException {
    byte[] buffer = new byte[BUFFER_BYTES];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        awaitPassing(of);
        out.write(buffer, 0, count);
      }
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** What was written is still to arrive. */
  private void endGently(Socket socket) throws IOException {
    sockets.remove(socket);
    socket.close();
  }

  private void end(Socket socket) {
    sockets.remove(socket);
    reset(socket);
  }

  private static void reset(Socket socket) {
    try {
      socket.setSoLinger(true, 0);
      socket.close();
    } catch (IOException e) {
      // it was closed already
    }
  }

  private static void daemon(String name, Runnable work) {
    Thread thread = new Thread(work, "tcp-proxy-" + name);
    thread.setDaemon(true);
    thread.start();
  }
}
