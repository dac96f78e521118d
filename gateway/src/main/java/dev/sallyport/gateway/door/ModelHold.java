package dev.sallyport.gateway.door;

/** What is held for one model call, until it is settled (S19). What is neither settled nor released is used up whole. */
public interface ModelHold extends AutoCloseable {

    /** The most output that the call may have. */
    long outputTokens();

    /** The call was answered. */
    void settle(ModelUse use);

    /** The call took nothing. */
    void release();

    @Override
    void close();

    /** Of a child that no budget binds. */
    static ModelHold unlimited(long outputTokens) {
        return new ModelHold() {
            @Override
            public long outputTokens() {
                return outputTokens;
            }

            @Override
            public void settle(ModelUse use) {}

            @Override
            public void release() {}

            @Override
            public void close() {}
        };
    }
}
