package dev.sallyport.gateway.workspace;

import java.io.File;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Locale;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.storage.file.FileBasedConfig;
import org.eclipse.jgit.storage.file.WindowCacheConfig;
import org.eclipse.jgit.util.FS;
import org.eclipse.jgit.util.SystemReader;
import org.jspecify.annotations.Nullable;

/**
 * Keeps JGit from the machine: no environment, no configuration of system, user or itself. With its own reader it starts
 * {@code git} to ask where the system's configuration lies.
 */
final class ClosedSystemReader extends SystemReader {

    static void install() {
        SystemReader.setInstance(new ClosedSystemReader());
        // In the foreground it measures the file system's clock for seconds.
        FS.FileStoreAttributes.setBackground(true);
        WindowCacheConfig cache = new WindowCacheConfig();
        cache.setExposeStatsViaJmx(false);
        cache.setPackedGitLimit(64L << 20);
        cache.setDeltaBaseCacheLimit(32 << 20);
        cache.setStreamFileThreshold(16 << 20);
        cache.install();
    }

    @Override
    public String getHostname() {
        return "localhost";
    }

    @Override
    public @Nullable String getenv(String variable) {
        return null;
    }

    @Override
    public @Nullable String getProperty(String key) {
        return System.getProperty(key);
    }

    @Override
    public FileBasedConfig openUserConfig(@Nullable Config parent, FS fs) {
        return new EmptyConfig(fs);
    }

    @Override
    public FileBasedConfig openSystemConfig(@Nullable Config parent, FS fs) {
        return new EmptyConfig(fs);
    }

    @Override
    public FileBasedConfig openJGitConfig(@Nullable Config parent, FS fs) {
        return new EmptyConfig(fs);
    }

    @Override
    @SuppressWarnings("deprecation") // abstract there all the same
    public long getCurrentTime() {
        return System.currentTimeMillis();
    }

    @Override
    @SuppressWarnings("deprecation") // abstract there all the same
    public int getTimezone(long when) {
        return 0;
    }

    @Override
    public ZoneOffset getTimeZoneAt(Instant when) {
        return ZoneOffset.UTC;
    }

    @Override
    public Locale getLocale() {
        return Locale.ROOT;
    }

    private static final class EmptyConfig extends FileBasedConfig {

        EmptyConfig(FS fs) {
            super(null, new File("/dev/null"), fs);
        }

        @Override
        public void load() {}

        @Override
        public void save() {}

        @Override
        public boolean isOutdated() {
            return false;
        }
    }
}
