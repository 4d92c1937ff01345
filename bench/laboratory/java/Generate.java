import java.io.BufferedOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Writes files of records of 100 bytes like those of gensort: a random key of 10 bytes, then a value that compresses to
 * about a third. Run on a node, it leaves the first copy there. Arguments: folder, first number of a file, files,
 * records of each.
 */
public final class Generate {
  private static final int KEY_BYTES = 10;
  private static final int RECORD_BYTES = 100;

  private Generate() {}

  public static void main(String[] arguments) throws Exception {
    long first = Long.parseLong(arguments[1]);
    FileSystem files = FileSystem.get(new Configuration());
    for (long number = first; number < first + Long.parseLong(arguments[2]); number++) {
      Path path = new Path(arguments[0], String.format("part-%05d", number));
      try (OutputStream written = new BufferedOutputStream(files.create(path), 1 << 16)) {
        write(written, new SplittableRandom(number), Long.parseLong(arguments[3]));
      }
    }
  }

  private static void write(OutputStream written, SplittableRandom random, long records) throws Exception {
    byte[] record = new byte[RECORD_BYTES];
    byte[] key = new byte[KEY_BYTES];
    for (long made = 0; made < records; made++) {
      random.nextBytes(key);
      System.arraycopy(key, 0, record, 0, KEY_BYTES);
      byte[] number = String.format("%032X", made).getBytes(StandardCharsets.US_ASCII);
      System.arraycopy(number, 0, record, KEY_BYTES, number.length);
      for (int place = KEY_BYTES + number.length; place < RECORD_BYTES; place++) {
        // Letters in runs of four.
        boolean next = (place - KEY_BYTES - number.length) % 4 == 0;
        record[place] = next ? (byte) ('A' + random.nextInt(16)) : record[place - 1];
      }
      written.write(record);
    }
  }
}
