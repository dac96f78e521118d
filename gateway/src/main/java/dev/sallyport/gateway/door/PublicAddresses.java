package dev.sallyport.gateway.door;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Allows what anyone on the internet could reach, except this host itself (S20). A range that no list here knows is
 * refused in IPv6, where only one eighth is in use, and allowed in IPv4, where nearly everything is.
 */
public final class PublicAddresses implements AddressCheck {

    /** This network, private, CGNAT with one cloud's metadata, loopback, link-local with the others', special use, multicast, reserved. */
    private static final List<Range> REFUSED_4 = Stream.of(
                    "0.0.0.0/8",
                    "10.0.0.0/8",
                    "100.64.0.0/10",
                    "127.0.0.0/8",
                    "168.63.129.16/32",
                    "169.254.0.0/16",
                    "172.16.0.0/12",
                    "192.0.0.0/24",
                    "192.0.2.0/24",
                    "192.31.196.0/24",
                    "192.52.193.0/24",
                    "192.88.99.0/24",
                    "192.168.0.0/16",
                    "192.175.48.0/24",
                    "198.18.0.0/15",
                    "198.51.100.0/24",
                    "203.0.113.0/24",
                    "224.0.0.0/3")
            .map(Range::parse)
            .toList();

    private static final Range GLOBAL_6 = Range.parse("2000::/3");

    /** Special use with Teredo, documentation, 6to4, documentation: each of them can carry an IPv4 address or nothing. */
    private static final List<Range> REFUSED_6 = Stream.of("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
            .map(Range::parse)
            .toList();

    private static final Range NAT64 = Range.parse("64:ff9b::/96");

    private final Predicate<InetAddress> own;

    public PublicAddresses() {
        this(PublicAddresses::isOwn);
    }

    PublicAddresses(Predicate<InetAddress> own) {
        this.own = own;
    }

    @Override
    public boolean allows(InetAddress address) {
        return isPublic(address.getAddress()) && !own.test(address);
    }

    private static boolean isPublic(byte[] address) {
        if (address.length == 4) {
            return REFUSED_4.stream().noneMatch(range -> range.contains(address));
        }
        if (NAT64.contains(address) || isMapped(address)) {
            return isPublic(Arrays.copyOfRange(address, 12, 16));
        }
        return GLOBAL_6.contains(address) && REFUSED_6.stream().noneMatch(range -> range.contains(address));
    }

    /** The JDK turns {@code ::ffff:1.2.3.4} into an {@link Inet4Address} by itself; this is for when it does not. */
    private static boolean isMapped(byte[] address) {
        for (int i = 0; i < 10; i++) {
            if (address[i] != 0) {
                return false;
            }
        }
        return address[10] == -1 && address[11] == -1;
    }

    /** Asked anew each time, because addresses come and go. */
    static boolean isOwn(InetAddress address) {
        try {
            return NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            return true;
        }
    }

    private record Range(InetAddress network, int bits) {

        static Range parse(String text) {
            int slash = text.indexOf('/');
            try {
                return new Range(
                        InetAddress.getByName(text.substring(0, slash)), Integer.parseInt(text.substring(slash + 1)));
            } catch (UnknownHostException e) {
                throw new IllegalArgumentException(text, e);
            }
        }

        boolean contains(byte[] address) {
            byte[] start = network.getAddress();
            if (address.length != start.length) {
                return false;
            }
            for (int bit = 0; bit < bits; bit++) {
                int mask = 0x80 >> (bit % 8);
                if ((address[bit / 8] & mask) != (start[bit / 8] & mask)) {
                    return false;
                }
            }
            return true;
        }
    }
}
