package service;

import java.io.FileInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Two things that happen once in a period: a collection of the whole heap, which stops all
 * requests, and, half a period later, a hundred files that are open for a second, which stops
 * nobody.
 */
final class Rhythm {
  private static final int FILES = 100;
  private static final int OBJECT_BYTES = 64; // so many that following them takes time

  private final List<FileInputStream> open = new ArrayList<>();
  private final byte[][] live;

  private Rhythm(int megabytes) {
    live = new byte[megabytes * ((1 << 20) / OBJECT_BYTES)][];
    for (int i = 0; i < live.length; i++) {
      live[i] = new byte[OBJECT_BYTES - 24]; // its head, and the reference to it
    }
  }

  static void start(Settings settings) {
    int period = settings.rhythmMillis();
    if (period == 0) {
      return;
    }
    Rhythm rhythm = new Rhythm(settings.liveMegabytes());
    ScheduledExecutorService clock = Executors.newScheduledThreadPool(2, task -> {
      Thread thread = new Thread(task, "rhythm");
      thread.setDaemon(true);
      return thread;
    });
    clock.scheduleAtFixedRate(rhythm::collect, period, period, TimeUnit.MILLISECONDS);
    clock.scheduleAtFixedRate(rhythm::open, period + period / 2, period, TimeUnit.MILLISECONDS);
    clock.scheduleAtFixedRate(rhythm::close, period + period / 2 + 1000L, period, TimeUnit.MILLISECONDS);
  }

  private void collect() {
    System.gc();
    live[0][0]++; // they are in use
  }

  private synchronized void open() {
    try {
      while (open.size() < FILES) {
        open.add(new FileInputStream("/dev/null"));
      }
    } catch (IOException e) {
      System.err.println("opening files: " + e.getMessage());
    }
  }

  private synchronized void close() {
    try {
      for (FileInputStream file : open) {
        file.close();
      }
    } catch (IOException e) {
      System.err.println("closing files: " + e.getMessage());
    }
    open.clear();
  }
}
