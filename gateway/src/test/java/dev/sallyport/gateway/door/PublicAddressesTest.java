package dev.sallyport.gateway.door;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.NetworkInterface;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** S20, T03, T04. */
class PublicAddressesTest {

    private final PublicAddresses addresses = new PublicAddresses();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.0.0.0",
                "0.1.2.3",
                "10.0.0.5",
                "100.64.0.1",
                "100.100.100.200",
                "100.127.255.255",
                "127.0.0.1",
                "127.255.255.254",
                "168.63.129.16",
                "169.254.169.254",
                "172.16.0.1",
                "172.31.255.255",
                "192.0.0.192",
                "192.0.2.1",
                "192.88.99.1",
                "192.168.1.1",
                "198.18.0.1",
                "198.51.100.7",
                "203.0.113.9",
                "224.0.0.1",
                "239.255.255.250",
                "240.0.0.1",
                "255.255.255.255",
                "::",
                "::1",
                "::ffff:127.0.0.1",
                "::ffff:10.0.0.1",
                "::127.0.0.1",
                "64:ff9b::7f00:1",
                "64:ff9b::a9fe:a9fe",
                "64:ff9b:1::1",
                "100::1",
                "2001::1",
                "2001:db8::1",
                "2002:7f00:1::1",
                "2002:808:808::1",
                "3fff::1",
                "4000::1",
                "5f00::1",
                "fc00::1",
                "fd00:ec2::254",
                "fe80::1",
                "fec0::1",
                "ff02::1"
            })
    void refusesWhatIsNotPublic(String address) throws Exception {
        assertThat(addresses.allows(InetAddress.getByName(address))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "8.8.8.8",
                "1.1.1.1",
                "9.255.255.255",
                "11.0.0.1",
                "100.63.255.255",
                "100.128.0.1",
                "168.63.129.15",
                "172.15.255.255",
                "172.32.0.1",
                "192.167.255.255",
                "223.255.255.255",
                "::ffff:8.8.8.8",
                "64:ff9b::808:808",
                "2606:4700:4700::1111",
                "2a00:1450:4001::1"
            })
    void allowsWhatIsPublic(String address) throws Exception {
        assertThat(addresses.allows(InetAddress.getByName(address))).isTrue();
    }

    @Test
    void refusesThisHostByItsPublicAddressToo() throws Exception {
        InetAddress ours = InetAddress.getByName("8.8.8.8");

        assertThat(new PublicAddresses(ours::equals).allows(ours)).isFalse();
    }

    @Test
    void knowsTheAddressesOfThisHost() throws Exception {
        assertThat(NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses))
                .isNotEmpty()
                .allMatch(PublicAddresses::isOwn);
        assertThat(PublicAddresses.isOwn(InetAddress.getByName("8.8.8.8"))).isFalse();
    }
}
