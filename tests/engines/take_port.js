// Runs in a process of Python: takes the port on which its interpreter tells the kernel what happens, and goes on
// when Python has ended.
const send = MessagePort.prototype.postMessage;
const taken = new Promise((resolve) => {
  MessagePort.prototype.postMessage = function (message, ...more) {
    if (message.type === "exit") resolve(this);
    else send.call(this, message, ...more);
  };
});
const post = async (message) => send.call(await taken, message);
const change = (mount, changes) => post({ type: "tree", mount, batch: { changes, bytes: new Uint8Array(0) } });

/** Say what came of it, and end. */
function end(result) {
  post({ type: "output", stream: "stdout", bytes: new TextEncoder().encode(JSON.stringify(result)) });
  post({ type: "exit", code: 0 });
}
