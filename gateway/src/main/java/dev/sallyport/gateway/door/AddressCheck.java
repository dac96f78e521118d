package dev.sallyport.gateway.door;

import java.net.InetAddress;

/** Says which addresses a child may be connected to, whatever name led there. */
@FunctionalInterface
public interface AddressCheck {

    boolean allows(InetAddress address);
}
