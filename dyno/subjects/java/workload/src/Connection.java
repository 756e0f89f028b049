package service;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.function.UnaryOperator;

/**
 * A connection over HTTP/1.1 that stays open: as much of the protocol as requests without a body
 * take, each responded to before the next is read. What it can't read ends it.
 */
final class Connection {
  private static final int MAX_HEAD = 16 << 10; // bytes

  private final InputStream in;
  private final OutputStream out;
  private final UnaryOperator<String> answers; // by path; null is 404
  private final byte[] head = new byte[MAX_HEAD];

  Connection(Socket socket, UnaryOperator<String> answers) throws IOException {
    this.in = new BufferedInputStream(socket.getInputStream());
    this.out = socket.getOutputStream();
    this.answers = answers;
  }

  /** Responds until the client has gone, or wants the connection closed. */
  void serve() throws IOException {
    boolean last = false;
    while (!last) {
      int length = readHead();
      if (length < 0) {
        return;
      }
      String text = new String(head, 0, length, StandardCharsets.ISO_8859_1);
      String[] line = text.substring(0, text.indexOf('\r')).split(" ", 3);
      if (line.length < 3 || !line[0].equals("GET")) {
        answer("405 Method Not Allowed", "only GET without a body", true);
        return;
      }
      last = text.toLowerCase().contains("\r\nconnection: close\r\n");
      String body = answers.apply(line[1]);
      answer(body == null ? "404 Not Found" : "200 OK", body == null ? "not found" : body, last);
    }
  }

  /** Reads a request's head, and returns its length, or -1 at the end of what the client sends. */
  private int readHead() throws IOException {
    for (int n = 0; n < MAX_HEAD; ) {
      int b = in.read();
      if (b < 0) {
        return -1;
      }
      head[n++] = (byte) b;
      if (b == '\n' && n >= 4 && head[n - 2] == '\r' && head[n - 3] == '\n' && head[n - 4] == '\r') {
        return n;
      }
    }
    return -1;
  }

  private void answer(String status, String body, boolean last) throws IOException {
    out.write(("HTTP/1.1 " + status + "\r\nContent-Type: text/plain\r\nContent-Length: " + body.length()
            + (last ? "\r\nConnection: close" : "") + "\r\n\r\n" + body)
        .getBytes(StandardCharsets.ISO_8859_1));
  }
}
