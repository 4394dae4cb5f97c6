"""Browsers without a window: Chromium, driven through its debugging pipe, and Firefox, by Marionette. Nothing of npm is needed."""
import base64
import json
import os
import select
import shutil
import socket
import subprocess
import tempfile
import time

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")


class Browser:
    def __init__(self, width=1400, height=900, slow=1.0):
        self.slow = slow
        self.home = tempfile.mkdtemp(prefix="orma-browser-")
        to_read, self.to = os.pipe()
        self.of, to_write = os.pipe()

        def ends():
            os.dup2(to_read, 3, inheritable=True)
            os.dup2(to_write, 4, inheritable=True)

        # Both ends are moved out of the way of 3 and 4 first.
        high = [os.dup(fd) for fd in (to_read, to_write)]
        os.close(to_read), os.close(to_write)
        import fcntl
        to_read, to_write = (fcntl.fcntl(fd, fcntl.F_DUPFD, 20) for fd in high)
        for fd in high:
            os.close(fd)
        self.process = subprocess.Popen(
            [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={self.home}",
             "--disable-background-networking", "--no-first-run", "--remote-debugging-pipe", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=ends, close_fds=False)
        os.close(to_read), os.close(to_write)
        self.buffer, self.number, self.session = b"", 0, None
        self.problems, self.requests = [], []
        page = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Runtime", "Page", "Network", "Log"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.to), os.close(self.of)
        shutil.rmtree(self.home, ignore_errors=True)

    def _message(self, until):
        while b"\0" not in self.buffer:
            if not select.select([self.of], [], [], max(0, until - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            data = os.read(self.of, 1 << 20)
            if not data:
                raise ConnectionError("the browser is gone")
            self.buffer += data
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **params):
        self.number += 1
        request = {"id": self.number, "method": method, "params": params}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.to, json.dumps(request).encode() + b"\0")
        until = time.monotonic() + 60 * self.slow
        while True:
            m = self._message(until)
            if m.get("id") == self.number:
                if "error" in m:
                    raise RuntimeError(f"{method}: {m['error']}")
                return m["result"]
            self._event(m)

    def _event(self, m):
        params = m.get("params", {})
        if m.get("method") == "Runtime.exceptionThrown":
            self.problems.append(json.dumps(params["exceptionDetails"])[:2000])
        elif m.get("method") == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
            self.problems.append(str(params["args"])[:2000])
        elif m.get("method") == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.problems.append(params["entry"]["text"])
        elif m.get("method") == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    def run(self, script):
        """The value of an async function's body."""
        done = self.call("Runtime.evaluate", expression=f"(async () => {{ {script} }})()", awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in done:
            raise AssertionError(json.dumps(done["exceptionDetails"])[:2000])
        return done["result"].get("value")

    def wait(self, condition, seconds=20):
        until = time.monotonic() + seconds * self.slow
        while not self.run(f"return !!({condition})"):
            if time.monotonic() > until:
                raise TimeoutError(f"{condition}: not so after {seconds} s; {self.problems}")
            time.sleep(0.05)

    def go(self, url):
        """Opens a page that is none of ours."""
        self.call("Page.navigate", url=url)
        self.wait(f"location.href === {json.dumps(url)} && document.readyState === 'complete'")

    def open(self, url, there="orma.width && !orma.trace.info.partial"):
        self.problems.clear(), self.requests.clear()
        self.call("Page.navigate", url=url)
        self.wait(f"(globalThis.orma && {there}) || document.querySelector('.error:not([hidden])')")
        self.frame()

    def frame(self):
        self.run("for (let i = 0; i < 3; i++) await new Promise((r) => requestAnimationFrame(r))")

    def key(self, key, code="", **more):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code, **({"text": key} if len(key) == 1 and kind == "keyDown" else {}), **more)

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)

    def drag(self, x0, y0, x1, y1):
        self.mouse("mouseMoved", x0, y0)
        self.mouse("mousePressed", x0, y0, button="left", clickCount=1)
        for i in range(1, 6):
            self.mouse("mouseMoved", x0 + (x1 - x0) * i / 5, y0 + (y1 - y0) * i / 5, button="left", buttons=1)
        self.mouse("mouseReleased", x1, y1, button="left", clickCount=1)

    def picture(self):
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])


def read_if_there(path):
    try:
        with open(path) as f:
            return f.read()
    except FileNotFoundError:
        return ""


class Firefox:
    """The part of Browser that tests of both need. What goes wrong in scripts is told by the page."""

    def __init__(self, width=1400, height=900, slow=1.0):
        self.slow, self.number, self.buffer = slow, 0, b""
        self.home = tempfile.mkdtemp(prefix="orma-browser-")
        port = os.path.join(self.home, "MarionetteActivePort")
        with open(os.path.join(self.home, "user.js"), "w") as f:
            f.write('user_pref("marionette.port", 0); user_pref("browser.shell.checkDefaultBrowser", false);')
        self.process = subprocess.Popen([FIREFOX, "--headless", "--marionette", "--no-remote", f"--width={width}", f"--height={height}", "--profile", self.home],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ | {"HOME": self.home})
        until = time.monotonic() + 60 * slow
        while not (number := read_if_there(port).strip()):
            if time.monotonic() > until or self.process.poll() is not None:
                self.close()
                raise TimeoutError("Firefox does not start")
            time.sleep(0.05)
        self.socket = socket.create_connection(("127.0.0.1", int(number)), timeout=60 * slow)
        self._message()
        self.call("WebDriver:NewSession", capabilities={})
        self.call("WebDriver:SetTimeouts", script=int(60000 * slow), pageLoad=int(60000 * slow))
        self.call("WebDriver:SetWindowRect", width=width, height=height)

    def close(self):
        if getattr(self, "socket", None):
            self.socket.close()
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.home, ignore_errors=True)

    def _message(self):
        while True:
            size, colon, rest = self.buffer.partition(b":")
            if colon and len(rest) >= int(size):
                self.buffer = rest[int(size):]
                return json.loads(rest[:int(size)])
            data = self.socket.recv(1 << 20)
            if not data:
                raise ConnectionError("the browser is gone")
            self.buffer += data

    def call(self, method, **params):
        self.number += 1
        text = json.dumps([0, self.number, method, params]).encode()
        self.socket.sendall(b"%d:%s" % (len(text), text))
        kind, number, error, result = self._message()
        if error:
            raise AssertionError(f"{method}: {error['message'][:2000]}")
        return result

    def run(self, script):
        return self.call("WebDriver:ExecuteScript", script=f"return (async () => {{ {script} }})()", args=[])["value"]

    def wait(self, condition, seconds=20):
        until = time.monotonic() + seconds * self.slow
        while not self.run(f"return !!({condition})"):
            if time.monotonic() > until:
                raise TimeoutError(f"{condition}: not so after {seconds} s")
            time.sleep(0.05)

    def open(self, url):
        self.call("WebDriver:Navigate", url=url)
        self.wait("(globalThis.orma && orma.width && !orma.trace.info.partial) || document.querySelector('.error:not([hidden])')")
        self.frame()

    def frame(self):
        self.run("for (let i = 0; i < 3; i++) await new Promise((r) => requestAnimationFrame(r))")

    def key(self, key, code=""):
        self.call("WebDriver:PerformActions", actions=[{"type": "key", "id": "keys", "actions": [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]}])

    def click(self, x, y):
        self.call("WebDriver:PerformActions", actions=[{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": [
            {"type": "pointerMove", "x": round(x), "y": round(y)}, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]}])

    def picture(self):
        return base64.b64decode(self.call("WebDriver:TakeScreenshot", full=False)["value"])
