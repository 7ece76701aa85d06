//! Sends back what comes to port 7 by UDP and by TCP, by the network stack smoltcp on one thread.
#![cfg_attr(target_os = "none", no_std, no_main)]

use taktos::Thread;
use taktos::board::Board;

/// The stack has the frames on their way, and the buffers of the sockets.
static MAIN: Thread<Board, 32_768> = Thread::new("main").priority(20);

#[taktos::main(MAIN)]
fn first() {
    #[cfg(target_os = "none")]
    network::serve();
}

/// The part of the program that is there on the board alone.
#[cfg(target_os = "none")]
mod network {
    use smoltcp::iface::{Config, Interface, SocketSet, SocketStorage};
    use smoltcp::phy::{Device, DeviceCapabilities, Medium, RxToken, TxToken};
    use smoltcp::socket::{tcp, udp};
    use smoltcp::time::Instant;
    use smoltcp::wire::{EthernetAddress, IpCidr, Ipv4Address};
    use taktos::board::{Board, Ethernet};
    use taktos::{Duration, Kernel, Semaphore, Timeout};

    const ADDRESS: EthernetAddress = EthernetAddress([0x02, 0, 0, 0, 0, 0x15]);
    /// Addresses in the emulator's network: of its first machine, and of the emulator.
    const OWN: Ipv4Address = Ipv4Address::new(10, 0, 2, 15);
    const GATEWAY: Ipv4Address = Ipv4Address::new(10, 0, 2, 2);
    const ECHO: u16 = 7;

    static ARRIVED: Semaphore<Board> = Semaphore::binary(0);

    /// A frame has come.
    #[taktos::interrupt(Ethernet::INTERRUPT)]
    fn arrived() {
        Ethernet::acknowledge();
        let _ = ARRIVED.give();
    }

    /// The board's controller as a device of smoltcp.
    struct Frames(Ethernet);

    impl Device for Frames {
        type RxToken<'a> = Received;
        type TxToken<'a> = Room<'a>;

        fn receive(&mut self, _: Instant) -> Option<(Received, Room<'_>)> {
            let mut frame = [0; Ethernet::LONGEST];
            while self.0.has_frame() {
                if let Some(length) = self.0.receive(&mut frame) {
                    return Some((Received { frame, length }, Room(&mut self.0)));
                }
            }
            None
        }

        fn transmit(&mut self, _: Instant) -> Option<Room<'_>> {
            self.0.has_room().then(|| Room(&mut self.0))
        }

        fn capabilities(&self) -> DeviceCapabilities {
            let mut capabilities = DeviceCapabilities::default();
            capabilities.medium = Medium::Ethernet;
            capabilities.max_transmission_unit = Ethernet::LONGEST;
            capabilities
        }
    }

    struct Received {
        frame: [u8; Ethernet::LONGEST],
        length: usize,
    }

    impl RxToken for Received {
        fn consume<R, F: FnOnce(&[u8]) -> R>(self, read: F) -> R {
            read(&self.frame[..self.length])
        }
    }

    struct Room<'a>(&'a mut Ethernet);

    impl TxToken for Room<'_> {
        fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, length: usize, write: F) -> R {
            let mut frame = [0; Ethernet::LONGEST];
            let result = write(&mut frame[..length]);
            // Without room the frame is lost, as any may be on its way.
            let _ = self.0.send(&frame[..length]);
            result
        }
    }

    fn now() -> Instant {
        Instant::from_micros((Kernel::<Board>::now().as_nanos() / 1_000) as i64)
    }

    pub fn serve() {
        let mut device = Frames(Ethernet::start(ADDRESS.0).unwrap());
        arrived.enable();
        let mut interface = Interface::new(Config::new(ADDRESS.into()), &mut device, now());
        interface.update_ip_addrs(|all| all.push(IpCidr::new(OWN.into(), 24)).unwrap());
        interface.routes_mut().add_default_ipv4_route(GATEWAY).unwrap();
        let (mut from, mut to) = ([0; 2048], [0; 2048]);
        let stream = tcp::Socket::new(
            tcp::SocketBuffer::new(&mut from[..]),
            tcp::SocketBuffer::new(&mut to[..]),
        );
        let mut heads = [[udp::PacketMetadata::EMPTY; 4]; 2];
        let [head_in, head_out] = &mut heads;
        let (mut bytes_in, mut bytes_out) = ([0; 2048], [0; 2048]);
        let datagrams = udp::Socket::new(
            udp::PacketBuffer::new(&mut head_in[..], &mut bytes_in[..]),
            udp::PacketBuffer::new(&mut head_out[..], &mut bytes_out[..]),
        );
        let mut places = [SocketStorage::EMPTY; 2];
        let mut sockets = SocketSet::new(&mut places[..]);
        let (stream, datagrams) = (sockets.add(stream), sockets.add(datagrams));
        sockets.get_mut::<udp::Socket>(datagrams).bind(ECHO).unwrap();
        taktos::println!("ready");
        loop {
            interface.poll(now(), &mut device, &mut sockets);
            echo_datagrams(sockets.get_mut(datagrams));
            echo_stream(sockets.get_mut(stream));
            let delay = interface.poll_delay(now(), &sockets);
            let timeout = delay.map_or(Timeout::FOREVER, |delay| {
                Timeout::after(Duration::from_micros(delay.total_micros()))
            });
            let _ = ARRIVED.take(timeout);
        }
    }

    fn echo_datagrams(socket: &mut udp::Socket<'_>) {
        let mut bytes = [0; 1500];
        while socket.can_send()
            && let Ok((length, from)) = socket.recv_slice(&mut bytes)
        {
            let _ = socket.send_slice(&bytes[..length], from);
        }
    }

    fn echo_stream(socket: &mut tcp::Socket<'_>) {
        if !socket.is_open() {
            let _ = socket.listen(ECHO);
        }
        let mut bytes = [0; 512];
        while socket.can_recv() && socket.can_send() {
            let room = socket.send_capacity() - socket.send_queue();
            let most = room.min(bytes.len());
            let Ok(length) = socket.recv_slice(&mut bytes[..most]) else {
                return;
            };
            let _ = socket.send_slice(&bytes[..length]);
        }
        if !socket.may_recv() && socket.may_send() && socket.recv_queue() == 0 {
            socket.close();
        }
    }
}
