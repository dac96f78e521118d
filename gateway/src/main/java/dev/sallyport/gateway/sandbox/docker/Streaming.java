package dev.sallyport.gateway.sandbox.docker;

import com.github.dockerjava.api.async.ResultCallback;
import com.github.dockerjava.api.exception.NotFoundException;
import dev.sallyport.gateway.sandbox.SandboxException;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** One answer that arrives in parts. docker-java's own class logs as an error whatever ends it, also a removed container. */
class Streaming<T> implements ResultCallback<T> {

    private final CountDownLatch started = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final AtomicReference<@Nullable Closeable> connection = new AtomicReference<>();
    private volatile @Nullable Throwable failure;

    @Override
    public void onStart(Closeable stream) {
        connection.set(stream);
        started.countDown();
        if (ended.getCount() == 0) {
            close();
        }
    }

    @Override
    public void onNext(T part) {}

    @Override
    public void onError(Throwable e) {
        // After our own closing, that it broke off is what was wanted.
        if (ended.getCount() > 0) {
            failure = e;
        }
        end();
    }

    @Override
    public void onComplete() {
        end();
    }

    private void end() {
        ended.countDown();
        started.countDown();
    }

    /** Until the engine answered, so that nothing of what follows is missed. */
    void awaitStart() throws InterruptedException {
        started.await();
        requireNoFailure();
    }

    /** Until the last part, or the time is over. That what was waited for is gone is an end too. */
    void awaitEnd(long time, TimeUnit unit) throws InterruptedException {
        var _ = ended.await(time, unit);
        requireNoFailure();
    }

    private void requireNoFailure() {
        Throwable e = failure;
        if (e != null && !(e instanceof NotFoundException)) {
            throw new SandboxException.BackendUnavailable("an answer broke off", e);
        }
    }

    @Override
    public void close() {
        end();
        Closeable open = connection.getAndSet(null);
        if (open != null) {
            try {
                open.close();
            } catch (IOException alreadyBroken) {
                // nothing was expected from it any more
            }
        }
    }
}
