package service;

/** The pieces of work. */
final class Work {
  private static final int BLOCKS = 16;
  private static final int BLOCK_BYTES = 256;

  private Work() {}

  /** Makes 16 objects of 256 bytes, n times, and returns what the last of them held. */
  static int allocate(int n) {
    int sum = 0;
    for (int turn = 0; turn < n; turn++) {
      byte[][] held = new byte[BLOCKS][];
      for (int i = 0; i < BLOCKS; i++) {
        held[i] = new byte[BLOCK_BYTES];
        held[i][i] = (byte) i;
      }
      sum = 0;
      for (int i = 0; i < BLOCKS; i++) {
        sum += held[i][i];
      }
    }
    return sum;
  }

  /** Holds its thread for so long. */
  static int await(int millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return 0;
  }
}
