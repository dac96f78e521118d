package dev.sallyport.gateway.door;

/** What one tunnel may carry, both ways together. Used by several threads. */
public interface Traffic extends AutoCloseable {

    /** Of a child that no budget binds. */
    Traffic UNLIMITED = new Traffic() {
        @Override
        public boolean take(int bytes) {
            return true;
        }

        @Override
        public void close() {}
    };

    /** Takes these bytes; false if so many are not left, and then none is carried. */
    boolean take(int bytes);

    @Override
    void close();
}
