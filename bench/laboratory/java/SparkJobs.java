import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.examples.terasort.TeraOutputFormat;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.spark.Partitioner;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/**
 * Jobs of the laboratory on one Spark application. Each line of standard input is a job:
 * id, kind, input, output, partitions, replication, skew, output share, separated by tabs.
 * Each answer is a line: id, seconds, records.
 */
public final class SparkJobs {
  private static final int KEY_BYTES = 10;
  private static final int RECORD_BYTES = 100;

  private SparkJobs() {}

  public static void main(String[] arguments) throws Exception {
    SparkConf settings = new SparkConf().setAppName("laboratory");
    try (JavaSparkContext context = new JavaSparkContext(settings)) {
      System.out.println("ready");
      BufferedReader asked = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String line = asked.readLine(); line != null; line = asked.readLine()) {
        String[] job = line.split("\t");
        long began = System.nanoTime();
        String answer;
        try {
          context.setJobGroup(job[0], job[0]);
          long records = run(context, job);
          answer = String.format("%s\t%.3f\t%d", job[0], (System.nanoTime() - began) / 1e9, records);
        } catch (Exception failed) {
          failed.printStackTrace();
          answer = String.format("%s\tfailed\t%s", job[0], String.valueOf(failed.getMessage()).replaceAll("\\s+", " "));
        }
        System.out.println(answer);
        System.out.flush();
      }
    }
  }

  private static long run(JavaSparkContext context, String[] job) throws Exception {
    String kind = job[1];
    int partitions = Integer.parseInt(job[4]);
    context.hadoopConfiguration().setInt("dfs.replication", Integer.parseInt(job[5]));
    switch (kind) {
      case "sort":
        write(read(context, job[2]).repartitionAndSortWithinPartitions(new Range(partitions, 0.0), new Bytes()), job[3], context);
        return 0L;
      case "mapreduce":
        Share share = new Share(Double.parseDouble(job[7]));
        write(
            read(context, job[2])
                .repartitionAndSortWithinPartitions(new Range(partitions, Double.parseDouble(job[6])), new Bytes())
                .filter(record -> share.keeps(record._1)),
            job[3],
            context);
        return 0L;
      case "scan":
        return read(context, job[2]).filter(record -> record._2[0] == 'q').count();
      default:
        throw new IllegalArgumentException("no such kind of job: " + kind);
    }
  }

  private static JavaPairRDD<byte[], byte[]> read(JavaSparkContext context, String input) {
    return context
        .binaryRecords(input, RECORD_BYTES)
        .mapToPair(
            record ->
                new Tuple2<>(
                    Arrays.copyOfRange(record, 0, KEY_BYTES), Arrays.copyOfRange(record, KEY_BYTES, RECORD_BYTES)));
  }

  private static void write(JavaPairRDD<byte[], byte[]> records, String output, JavaSparkContext context)
      throws Exception {
    Configuration settings = new Configuration(context.hadoopConfiguration());
    settings.setBoolean("mapreduce.terasort.final.sync", false);
    // A file system that is kept from an earlier job makes as many copies as that asked for.
    settings.setBoolean("fs.hdfs.impl.disable.cache", true);
    Job job = Job.getInstance(settings);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    job.setOutputFormatClass(TeraOutputFormat.class);
    TeraOutputFormat.setOutputPath(job, new Path(output));
    records
        .mapToPair(record -> new Tuple2<>(new Text(record._1), new Text(record._2)))
        .saveAsNewAPIHadoopDataset(job.getConfiguration());
  }

  /** Unsigned bytes, as TeraSort orders them. */
  private static final class Bytes implements Comparator<byte[]>, Serializable {
    @Override
    public int compare(byte[] one, byte[] other) {
      return Arrays.compareUnsigned(one, other);
    }
  }

  /** Partitions by ranges of uniform keys; with skew, the first partitions hold more. */
  private static final class Range extends Partitioner {
    private final int partitions;
    private final double skew;

    Range(int partitions, double skew) {
      this.partitions = partitions;
      this.skew = skew;
    }

    @Override
    public int numPartitions() {
      return partitions;
    }

    @Override
    public int getPartition(Object key) {
      byte[] bytes = (byte[]) key;
      long first = 0L;
      for (int place = 0; place < 6; place++) {
        first = first << 8 | bytes[place] & 0xff;
      }
      double uniform = first / (double) (1L << 48);
      return (int) (partitions * Math.pow(uniform, 1.0 + skew));
    }
  }

  /** Keeps a share of all records, by a byte of the key that does not decide the partition. */
  private static final class Share implements Serializable {
    private final double share;

    Share(double share) {
      this.share = share;
    }

    boolean keeps(byte[] key) {
      return (key[8] & 0xff) < 256.0 * share;
    }
  }
}
