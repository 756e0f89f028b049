package service;

import java.util.Map;

/**
 * What studies vary, by environment variables.
 *
 * @param threads WORK_THREADS: whether a request has a thread of the JVM (user) or the kernel
 * @param repeat WORK_REPEAT: how often a request does its piece of work
 * @param waitMillis WORK_WAIT_MS: how long /wait waits
 * @param rhythmMillis WORK_RHYTHM_MS: the period of {@link Rhythm}; 0 for none
 * @param liveMegabytes WORK_LIVE_MB: what is always alive while there is one
 */
record Settings(String threads, int repeat, int waitMillis, int rhythmMillis, int liveMegabytes) {
  static Settings of(Map<String, String> env) {
    return new Settings(
        env.getOrDefault("WORK_THREADS", "user"),
        number(env, "WORK_REPEAT", 100, 1, 1_000_000),
        number(env, "WORK_WAIT_MS", 20, 0, 60_000),
        number(env, "WORK_RHYTHM_MS", 0, 0, 60_000),
        number(env, "WORK_LIVE_MB", 100, 1, 1_000));
  }

  private static int number(Map<String, String> env, String name, int otherwise, int least, int most) {
    String text = env.getOrDefault(name, "");
    if (text.isEmpty()) {
      return otherwise;
    }
    int n = text.matches("\\d{1,9}") ? Integer.parseInt(text) : -1;
    if (n < least || n > most) {
      throw new IllegalArgumentException(name + " is " + text + ": set it to a number from " + least + " to " + most);
    }
    return n;
  }
}
