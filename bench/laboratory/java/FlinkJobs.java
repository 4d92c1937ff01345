import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.functions.FilterFunction;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.functions.Partitioner;
import org.apache.flink.api.common.operators.Order;
import org.apache.flink.api.java.DataSet;
import org.apache.flink.api.java.ExecutionEnvironment;
import org.apache.flink.api.java.hadoop.mapreduce.HadoopOutputFormat;
import org.apache.flink.api.java.io.DiscardingOutputFormat;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.hadoopcompatibility.HadoopInputs;
import org.apache.hadoop.examples.terasort.TeraInputFormat;
import org.apache.hadoop.examples.terasort.TeraOutputFormat;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;

/**
 * Jobs of the laboratory on a session cluster of Flink. Each line of standard input is a job, as for SparkJobs. Each
 * answer is a line: id, seconds, id of the job at Flink.
 */
public final class FlinkJobs {
  private FlinkJobs() {}

  public static void main(String[] arguments) throws Exception {
    System.out.println("ready");
    BufferedReader asked = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = asked.readLine(); line != null; line = asked.readLine()) {
      String[] job = line.split("\t");
      long began = System.nanoTime();
      String answer;
      try {
        String id = run(arguments[0], Integer.parseInt(arguments[1]), job);
        answer = String.format("%s\t%.3f\t%s", job[0], (System.nanoTime() - began) / 1e9, id);
      } catch (Exception failed) {
        failed.printStackTrace();
        answer = String.format("%s\tfailed\t%s", job[0], String.valueOf(failed.getMessage()).replaceAll("\\s+", " "));
      }
      System.out.println(answer);
      System.out.flush();
    }
  }

  private static String run(String host, int port, String[] asked) throws Exception {
    int partitions = Integer.parseInt(asked[4]);
    Configuration settings = new Configuration();
    ExecutionEnvironment environment = ExecutionEnvironment.createRemoteEnvironment(host, port, settings);
    environment.setParallelism(partitions);
    Job input = Job.getInstance();
    TeraInputFormat.addInputPath(input, new Path(asked[2]));
    DataSet<Tuple2<byte[], byte[]>> records =
        environment
            .createInput(HadoopInputs.createHadoopInput(new TeraInputFormat(), Text.class, Text.class, input))
            .map(new ToBytes());
    switch (asked[1]) {
      case "sort":
        write(records.partitionCustom(new Range(0.0), 0).sortPartition(0, Order.ASCENDING), asked);
        break;
      case "mapreduce":
        double share = Double.parseDouble(asked[7]);
        write(
            records
                .partitionCustom(new Range(Double.parseDouble(asked[6])), 0)
                .sortPartition(0, Order.ASCENDING)
                .filter(new Keeps(share)),
            asked);
        break;
      case "scan":
        records.filter(new StartsWithQ()).output(new DiscardingOutputFormat<>());
        break;
      default:
        throw new IllegalArgumentException("no such kind of job: " + asked[1]);
    }
    JobExecutionResult result = environment.execute(asked[0]);
    return result.getJobID().toString();
  }

  private static void write(DataSet<Tuple2<byte[], byte[]>> records, String[] asked) throws Exception {
    Job job = Job.getInstance();
    job.getConfiguration().setInt("dfs.replication", Integer.parseInt(asked[5]));
    job.getConfiguration().setBoolean("mapreduce.terasort.final.sync", false);
    // A file system that is kept from an earlier job makes as many copies as that asked for.
    job.getConfiguration().setBoolean("fs.hdfs.impl.disable.cache", true);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    TeraOutputFormat.setOutputPath(job, new Path(asked[3]));
    records.map(new ToText()).output(new HadoopOutputFormat<>(new TeraOutputFormat(), job));
  }

  private static final class ToBytes implements MapFunction<Tuple2<Text, Text>, Tuple2<byte[], byte[]>> {
    @Override
    public Tuple2<byte[], byte[]> map(Tuple2<Text, Text> record) {
      return new Tuple2<>(record.f0.copyBytes(), record.f1.copyBytes());
    }
  }

  private static final class ToText implements MapFunction<Tuple2<byte[], byte[]>, Tuple2<Text, Text>> {
    @Override
    public Tuple2<Text, Text> map(Tuple2<byte[], byte[]> record) {
      return new Tuple2<>(new Text(record.f0), new Text(record.f1));
    }
  }

  private static final class Keeps implements FilterFunction<Tuple2<byte[], byte[]>> {
    private final double share;

    Keeps(double share) {
      this.share = share;
    }

    @Override
    public boolean filter(Tuple2<byte[], byte[]> record) {
      return (record.f0[8] & 0xff) < 256.0 * share;
    }
  }

  private static final class StartsWithQ implements FilterFunction<Tuple2<byte[], byte[]>> {
    @Override
    public boolean filter(Tuple2<byte[], byte[]> record) {
      return record.f1[0] == 'q';
    }
  }

  /** Partitions by ranges of uniform keys; with skew, the first partitions hold more. */
  private static final class Range implements Partitioner<byte[]> {
    private final double skew;

    Range(double skew) {
      this.skew = skew;
    }

    @Override
    public int partition(byte[] key, int partitions) {
      long first = 0L;
      for (int place = 0; place < 6; place++) {
        first = first << 8 | key[place] & 0xff;
      }
      return (int) (partitions * Math.pow(first / (double) (1L << 48), 1.0 + skew));
    }
  }
}
