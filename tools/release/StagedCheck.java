import java.io.IOException;
import java.lang.module.FindException;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Checks a staged release: every artifact has what a public repository asks for, and what we
 * promise. Prints what is there, and fails with everything that is missing.
 *
 * <pre>java tools/release/StagedCheck.java repository version signed|unsigned</pre>
 */
class StagedCheck {

  private static final List<String> OF_A_JAR =
      List.of(".jar", "-sources.jar", "-javadoc.jar", "-cyclonedx.json");
  private static final List<String> OF_A_POM =
      List.of("name", "description", "url", "licenses", "developers", "scm");

  /** Programs are not in the BOM: nobody depends on them. */
  private static final List<String> NOT_IN_BOM = List.of("outbox-bom", "outbox-cli");

  private final Path group;
  private final String version;
  private final boolean signed;
  private final List<String> problems = new ArrayList<>();

  private StagedCheck(Path repository, String version, boolean signed) {
    this.group = repository.resolve("io/outbox");
    this.version = version;
    this.signed = signed;
  }

  public static void main(String[] args) throws Exception {
    if (args.length != 3) {
      System.err.println("usage: StagedCheck.java <repository> <version> signed|unsigned");
      System.exit(2);
    }
    StagedCheck check = new StagedCheck(Path.of(args[0]), args[1], args[2].equals("signed"));
    check.run();
    check.problems.forEach(problem -> System.err.println("MISSING " + problem));
    System.exit(check.problems.isEmpty() ? 0 : 1);
  }

  private void run() throws IOException, NoSuchAlgorithmException {
    List<String> artifacts;
    try (Stream<Path> directories = Files.list(group)) {
      artifacts =
          directories
              .filter(Files::isDirectory)
              .map(directory -> directory.getFileName().toString())
              .sorted()
              .toList();
    }
    for (String artifact : artifacts) {
      check(artifact);
    }
    checkBom(artifacts);
    System.out.println(artifacts.size() + " artifacts");
  }

  private void check(String artifact) throws IOException, NoSuchAlgorithmException {
    Path directory = group.resolve(artifact).resolve(version);
    String prefix = artifact + "-" + version;
    Path pom = directory.resolve(prefix + ".pom");
    if (!Files.exists(pom)) {
      problems.add(artifact + ": " + pom.getFileName());
      return;
    }
    boolean hasJar = checkPom(artifact, Files.readString(pom));
    if (hasJar) {
      OF_A_JAR.stream()
          .filter(suffix -> !Files.exists(directory.resolve(prefix + suffix)))
          .forEach(suffix -> problems.add(artifact + ": " + prefix + suffix));
    }
    int files = checkFiles(artifact, directory);
    Path jar = directory.resolve(prefix + ".jar");
    String module = "";
    if (artifact.equals("outbox-cli")) {
      module = checkProgram(artifact, jar);
    } else if (Files.exists(jar)) {
      module = moduleName(artifact, jar);
    }
    System.out.printf(
        "%-32s %8d bytes %3d files  %s%n",
        artifact, Files.exists(jar) ? Files.size(jar) : Files.size(pom), files, module);
  }

  /** Whether the POM is that of a jar. */
  private boolean checkPom(String artifact, String pom) {
    for (String element : OF_A_POM) {
      if (!pom.matches("(?s).*\n  <" + element + "[ >].*")) {
        problems.add(artifact + ": <" + element + "> in its POM");
      }
    }
    boolean isBom = pom.contains("<packaging>pom</packaging>");
    if (pom.contains("<parent>")) {
      problems.add(artifact + ": a POM without a parent");
    }
    if (pom.contains("SNAPSHOT") || !isBom && pom.contains("${")) {
      problems.add(artifact + ": released versions only, without properties, in its POM");
    }
    return !isBom;
  }

  /** Checksums, and signatures if there are to be some. */
  private int checkFiles(String artifact, Path directory)
      throws IOException, NoSuchAlgorithmException {
    List<Path> files;
    try (Stream<Path> all = Files.list(directory)) {
      files = all.filter(file -> !file.toString().matches(".*\\.(md5|sha1|asc)")).sorted().toList();
    }
    for (Path file : files) {
      checkSum(artifact, file, "SHA-1", ".sha1");
      checkSum(artifact, file, "MD5", ".md5");
      if (signed && !Files.exists(file.resolveSibling(file.getFileName() + ".asc"))) {
        problems.add(artifact + ": a signature of " + file.getFileName());
      }
    }
    return files.size();
  }

  private void checkSum(String artifact, Path file, String algorithm, String suffix)
      throws IOException, NoSuchAlgorithmException {
    Path sum = file.resolveSibling(file.getFileName() + suffix);
    String expected =
        HexFormat.of()
            .formatHex(MessageDigest.getInstance(algorithm).digest(Files.readAllBytes(file)));
    if (!Files.exists(sum) || !Files.readString(sum).strip().equals(expected)) {
      problems.add(artifact + ": the right " + algorithm + " of " + file.getFileName());
    }
  }

  private String moduleName(String artifact, Path jar) {
    try {
      var module = ModuleFinder.of(jar).findAll().iterator().next().descriptor();
      // the name of an automatic module would otherwise come from its file
      if (!module.name().startsWith("io.outbox")) {
        problems.add(artifact + ": a module descriptor, or Automatic-Module-Name");
      }
      return module.name() + (module.isAutomatic() ? " (automatic)" : "");
    } catch (FindException e) {
      problems.add(artifact + ": a readable module descriptor: " + e.getMessage());
      return "";
    }
  }

  /** A program is started from the class path: its name is enough, its services need not be its own. */
  private String checkProgram(String artifact, Path jar) throws IOException {
    try (JarFile file = new JarFile(jar.toFile())) {
      if (file.getEntry("META-INF/THIRD-PARTY.txt") == null) {
        problems.add(artifact + ": META-INF/THIRD-PARTY.txt in its jar");
      }
      String name = file.getManifest().getMainAttributes().getValue("Automatic-Module-Name");
      if (name == null) {
        problems.add(artifact + ": Automatic-Module-Name");
      }
      return "program " + name;
    }
  }

  private void checkBom(List<String> artifacts) throws IOException {
    Path bom = group.resolve("outbox-bom/" + version + "/outbox-bom-" + version + ".pom");
    Matcher matcher =
        Pattern.compile("<artifactId>([^<]+)</artifactId>\\s*<version>\\$\\{project.version}")
            .matcher(Files.readString(bom));
    List<String> managed = matcher.results().map(match -> match.group(1)).toList();
    artifacts.stream()
        .filter(artifact -> !NOT_IN_BOM.contains(artifact) && !managed.contains(artifact))
        .forEach(artifact -> problems.add("outbox-bom: " + artifact));
    managed.stream()
        .filter(artifact -> !artifacts.contains(artifact))
        .forEach(artifact -> problems.add(artifact + ": the artifact, which the BOM names"));
  }
}
