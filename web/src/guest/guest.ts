/** One guest as the kernel sees it: what it is told of the trees, what it changes in them, what it says and starts. */

import type { Rules } from "../guard";
import { type Change, type DirtyPaths, pack, unpack } from "../mirror";
import type { TrackedTree } from "../tracked-fs";
import { describe } from "../tree-writer";
import { checkedBatch, checkedChild } from "./checks";
import type {
  ChildCommand,
  ChildOutcome,
  FromGuest,
  GuestCommand,
  GuestLimits,
  Isolation,
  Stream,
  ToFrame,
  ToGuest,
  ToHost,
} from "./messages";

export const FAILED_TO_START = 126;
export const KILLED = 137;
const CRASHED = 139;
/** What of a tree is told at once, so that the kernel answers others in between. */
const SLICE_FILES = 1000;
const SLICE_BYTES = 4 << 20;

export interface GuestSettings {
  limits: GuestLimits & {
    /** Guests that run at the same time. */
    processes: number;
    /** Bytes that one may put out. */
    output: number;
  };
  network: string[];
  isolation: Isolation;
}

/** Who runs what a guest starts. */
export interface ChildRunner {
  /** Returns the way to kill it. */
  runChild(
    child: ChildCommand,
    downloading: (is: boolean) => void,
    done: (outcome: ChildOutcome) => void,
  ): () => void;
}

/** Who is told how an installation goes. */
export interface InstallListener {
  posted(message: string, bytes?: Uint8Array): void;
  /** Its reply, or why there is none. */
  ended(reply: string | undefined, failure?: string): void;
}

export interface GuestListener {
  output(stream: Stream, bytes: Uint8Array): void;
  /** It, or what it started, begins to wait for downloads, which have limits of their own, or does so no more. */
  downloading(is: boolean): void;
  /** Something to say of how it ended, as one line. */
  exit(code: number, remark?: string): void;
}

let started = 0;
const alive = new Set<Guest>();

/** End all guests: their frames are gone. */
export function loseGuests(): void {
  for (const guest of alive) guest.lose();
}

interface Mirror {
  tree: TrackedTree;
  cursor: DirtyPaths;
  rules: Rules | undefined;
}

export class Guest {
  onEnd = () => {};
  private readonly id: number;
  private readonly port: MessagePort;
  private readonly mirrors: Mirror[];
  private readonly children = new Map<number, () => void>();
  private listener: GuestListener | undefined;
  private installing: InstallListener | undefined;
  /** When Python has started, or will not. */
  readonly ready: Promise<void>;
  private started = () => {};
  private readonly filled: Promise<void>;
  private ended = false;
  private remark: string | undefined;
  /** Updates of the trees that it has not yet seen. */
  private unseen = 0;
  private output = 0;
  private readonly treeChanged = () => {
    // One that is busy would only pile them up.
    if (!this.unseen) this.update();
  };

  constructor(
    trees: TrackedTree[],
    private readonly host: MessagePort,
    private readonly settings: GuestSettings,
    private readonly shells: ChildRunner,
  ) {
    started += 1;
    this.id = started;
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    port1.onmessage = ({ data }: MessageEvent<FromGuest>) => {
      try {
        this.receive(data);
      } catch (error) {
        // Uncaught, it would be an error of the page around.
        console.error(error);
        this.end(CRASHED, "it sent what makes no sense");
      }
    };
    port1.onmessageerror = () => this.end(CRASHED, "it sent what cannot be read");
    const { limits, network } = settings;
    const start = { limits: { memory: limits.memory, files: limits.files }, network };
    this.ask({ type: "start", id: this.id, start, port: port2 }, [port2]);
    this.mirrors = trees.map((tree) => ({ tree, cursor: tree.addCursor(), rules: undefined }));
    this.ready = new Promise((resolve) => {
      this.started = resolve;
    });
    this.filled = this.fill();
    alive.add(this);
  }

  async run(command: GuestCommand, listener: GuestListener): Promise<void> {
    this.listener = listener;
    if (this.ended) return listener.exit(FAILED_TO_START, this.remark);
    await this.filled;
    if (this.ended) return;
    this.update();
    for (const { tree } of this.mirrors) tree.listeners.add(this.treeChanged);
    this.send({ type: "run", command });
  }

  /** Run the installer, for which there are no trees. */
  install(request: string, files: Record<string, Uint8Array>, listener: InstallListener): void {
    this.installing = listener;
    this.listener = {
      output: () => {},
      downloading: () => {},
      exit: (_, remark) => listener.ended(undefined, remark ?? "it was stopped"),
    };
    if (this.ended) listener.ended(undefined, this.remark);
    else this.send({ type: "install", request, files });
  }

  kill(code: number): void {
    // Not at once: what it has sent is on its way.
    setTimeout(() => this.end(code));
  }

  lose(): void {
    this.end(KILLED, "it was ended along with a preview that hung");
  }

  send(message: ToGuest, transfer: Transferable[] = []): void {
    this.port.postMessage(message, transfer);
  }

  private end(code: number, remark?: string): void {
    if (this.ended) return;
    this.ended = true;
    alive.delete(this);
    this.started();
    this.remark = remark;
    this.port.close();
    this.ask({ type: "end", id: this.id });
    for (const { tree, cursor } of this.mirrors) {
      tree.removeCursor(cursor);
      tree.listeners.delete(this.treeChanged);
    }
    for (const kill of this.children.values()) kill();
    this.onEnd();
    this.listener?.exit(code, remark);
  }

  private ask(message: ToFrame, transfer: Transferable[] = []): void {
    const { isolation, network } = this.settings;
    this.host.postMessage({ isolation, network, message } satisfies ToHost, transfer);
  }

  /** Tell it of the trees as they are, in slices; what changes meanwhile is told later. */
  private async fill(): Promise<void> {
    for (const [mount, { tree, cursor }] of this.mirrors.entries()) {
      let slice: Change[] = [];
      let bytes = 0;
      for (const { path, node } of tree.writer.dirty(cursor.take())) {
        const change: Change = node ? describe(node, path) : { op: "gone", path };
        slice.push(change);
        bytes += "data" in change ? change.data.length : 0;
        if (slice.length < SLICE_FILES && bytes < SLICE_BYTES) continue;
        this.tell(mount, slice);
        slice = [];
        bytes = 0;
        await new Promise((resolve) => setTimeout(resolve));
        if (this.ended) return;
      }
      this.tell(mount, slice);
    }
  }

  /** Tell it what changed in the trees. */
  private update(): void {
    for (const [mount, { tree, cursor }] of this.mirrors.entries())
      this.tell(mount, tree.writer.changesFor(cursor));
  }

  private tell(mount: number, changes: Change[]): void {
    const mirror = this.mirrors[mount] as Mirror;
    const { rules } = mirror.tree.guard;
    if (!changes.length && rules === mirror.rules) return;
    const batch = pack(changes);
    this.unseen += 1;
    this.send({ type: "tree", mount, batch, ...(rules !== mirror.rules && { rules }) }, [batch.bytes.buffer]);
    mirror.rules = rules;
  }

  private receive(message: FromGuest): void {
    if (this.ended) return;
    switch (message?.type) {
      case "ready":
        this.started();
        break;
      case "seen":
        this.unseen -= 1;
        break;
      case "output":
        this.put(message.stream === "stderr" ? "stderr" : "stdout", message.bytes);
        break;
      case "tree":
        this.takeChanges(message);
        break;
      case "spawn":
        this.spawn(Number(message.id), message.child);
        break;
      case "kill":
        this.children.get(Number(message.id))?.();
        break;
      case "post":
        this.installing?.posted(String(message.message), message.bytes);
        break;
      case "installed":
        if (!this.installing) break;
        this.listener = undefined;
        this.installing.ended(String(message.reply));
        this.end(0);
        break;
      case "exit":
        this.end(Number(message.code) & 255, message.hint && String(message.hint));
        break;
      case "dead":
        this.end(this.listener ? CRASHED : FAILED_TO_START, String(message.reason));
    }
  }

  private put(stream: Stream, bytes: unknown): void {
    if (!(bytes instanceof Uint8Array) || !this.listener) return;
    const { output } = this.settings.limits;
    const room = output - this.output;
    this.output += bytes.length;
    this.listener.output(stream, bytes.subarray(0, Math.max(0, room)));
    if (bytes.length > room)
      this.end(KILLED, `it put out more than ${output >> 20} MB, which is the limit (output)`);
  }

  private takeChanges({ mount, batch }: { mount: number; batch: unknown }): void {
    const mirror = Number.isInteger(mount) ? this.mirrors[mount] : undefined;
    const checked = checkedBatch(batch);
    if (mirror && checked) mirror.tree.writer.apply(unpack(checked), mirror.cursor);
    else this.end(CRASHED, "it sent changes of files that make no sense");
  }

  private spawn(id: number, asked: unknown): void {
    const child = checkedChild(asked);
    if (!child) {
      this.end(CRASHED, "it asked for a command that makes no sense");
      return;
    }
    const downloading = (is: boolean) => this.listener?.downloading(is);
    const kill = this.shells.runChild(child, downloading, (outcome) => {
      this.children.delete(id);
      if (this.ended) return;
      this.update();
      this.send({ type: "child", id, outcome });
    });
    this.children.set(id, kill);
  }
}
