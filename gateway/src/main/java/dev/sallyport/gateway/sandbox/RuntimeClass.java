package dev.sallyport.gateway.sandbox;

/** How strongly a sandbox is separated from the host's kernel. One that is asked for and not there is a refusal. */
public enum RuntimeClass {
    RUNC,
    GVISOR,
    KATA
}
