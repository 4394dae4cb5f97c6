"""A producer hands over its data and goes while the service is busy with something else. What it had
committed is in the trace: every packet, whatever the service was told meanwhile, in whatever order."""
from attack import *

PACKETS = 100


class Gone(Attack):
    def setUp(self):
        super().setUp()
        self.start_traced()

    def commit_and_go(self, producer, target, how):
        for i in range(PACKETS // 10):
            data = chunk(i, 1, [packet(text=b"PK%06d" % (10 * i + k)) for k in range(10)])
            counts = sub(90001, num(1, 1) + num(2, target) + num(3, 10 * (i + 1)))
            producer.send("commit", move(target, data) + counts, drop=True)
        if how == "half a frame":
            producer.socket.sendall(invoke(99, PRODUCER["commit"], b"x" * 100)[:50])
        if how == "shutdown":
            producer.socket.shutdown(socket.SHUT_WR)
        else:
            producer.close()

    def tell(self, consumer, what):
        if what == "flush":
            consumer.send("flush", num(1, 1000), drop=True)
        elif what == "flushes":
            for _ in range(50):
                consumer.send("flush", num(1, 1000), drop=True)
        elif what == "disable":
            consumer.send("disable", drop=True)
        elif what == "clone":
            consumer.send("clone", num(1, 1), drop=True)

    def one(self, order, what, how):
        consumer, producer = self.consumer(), self.producer("short")
        consumer.enable(config(buffer(8192), source("x")))
        consumer.ask("capabilities")
        producer.register("x")
        target = producer.set_up()
        self.assertIsNotNone(target)
        self.stop_service()
        steps = [lambda: self.tell(consumer, what), lambda: self.commit_and_go(producer, target, how)]
        for step in steps if order == "consumer first" else reversed(steps):
            step()
        os.kill(self.traced.pid, signal.SIGCONT)
        self.wait_for("the end of the producer", lambda: self.producers(consumer) == 0)
        consumer.ask("disable")
        found = [p for p in consumer.packets() if b"PK0" in p]
        self.drop_clients()
        return len(found)

    def producers(self, consumer):
        _, _, fields = consumer.ask("state")
        return sum(f == 1 for f, _ in decode(last(fields, 1, b"")))

    def test_every_order(self):
        for order in ("consumer first", "producer first"):
            for what in ("nothing", "flush", "flushes", "disable", "clone"):
                for how in ("close", "half a frame") + (("shutdown",) if what == "nothing" else ()):
                    with self.subTest(f"{order}, {what}, {how}"):
                        self.assertEqual(self.one(order, what, how), PACKETS)
        self.assert_serves()
        self.assert_ends()


if __name__ == "__main__":
    main()
