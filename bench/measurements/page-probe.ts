/**
 * Runs inside the page, before its own scripts, and records when events happen. All times are by the page's own clock,
 * so that controlling the browser does not affect them.
 */

/** What a measurement reads of the page. Times are milliseconds since its navigation began. */
export interface PageProbe {
  /** When a session was asked for, first. */
  askedAt: number | null;
  /** When the terminal had the keyboard and showed a prompt, painted. */
  usableAt: number | null;
  /** The text that is searched for in the rows of the visible terminal, and when it was painted. */
  wanted: string;
  foundAt: number | null;
  /** What was replayed, in order. */
  readonly replays: PageReplay[];
  /** When the last message of the relay came, and when the page had nothing left to do after it. */
  lastMessageAt: number;
  /** From each key's press until something was painted. */
  readonly keysMs: number[];
  /** Frames that the browser made, and those in which the terminal changed. */
  frames: number;
  changedFrames: number;
  /** Whether the terminal has changed since the last frame. */
  hasChanged: boolean;
}

/** One replay: what was missed, a screen, or the screen again with the history above it. */
export interface PageReplay {
  readonly what: 'delta' | 'screen' | 'history';
  /** Bytes that the relay has announced and not yet sent. */
  due: number;
  /** When the page's socket delivered the last of them, and when the result was painted. */
  lastByteAt: number | null;
  paintedAt: number | null;
}

declare global {
  var probe: PageProbe;
}

/** The probe as a script. Its parts are sent as text, so each uses nothing but the page's globals. */
export function probeScript(wanted: string): string {
  const parts = [startProbe, watchSockets, watchPainting, countFrames];
  return parts.map((part) => `(${part})(${JSON.stringify(wanted)});`).join('\n');
}

function startProbe(wanted: string): void {
  globalThis.probe = {
    askedAt: null,
    usableAt: null,
    wanted,
    foundAt: null,
    replays: [],
    lastMessageAt: 0,
    keysMs: [],
    frames: 0,
    changedFrames: 0,
    hasChanged: false,
  };
}

function watchSockets(): void {
  const { probe } = globalThis;
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (data) {
    if (typeof data === 'string' && data.includes('"reattach_session"')) probe.askedAt ??= performance.now();
    send.call(this, data);
  };
  const NativeSocket = WebSocket;
  globalThis.WebSocket = class extends NativeSocket {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols);
      this.addEventListener('message', ({ data }) => {
        if (data === 'pong') return;
        probe.lastMessageAt = performance.now();
        noteReplay(data);
      });
    }
  };
  /** Kinds of frames, and the length of their header, as protocol/frame.ts has them. */
  const [OUTPUT, SNAPSHOT, HEADER_BYTES] = [1, 4, 20];
  const noteReplay = (data: string | ArrayBuffer) => {
    if (typeof data === 'string') {
      const message = JSON.parse(data);
      if (message.type !== 'scrollback') return;
      const { bytes, from, history, kind, to } = message;
      const what = kind === 'delta' ? 'delta' : history ? 'history' : 'screen';
      const due = kind === 'delta' ? to - from : bytes;
      probe.replays.push({ what, due, lastByteAt: null, paintedAt: null });
      return;
    }
    const replay = probe.replays.at(-1);
    if (replay === undefined || replay.due === 0) return;
    if (new Uint8Array(data)[0] !== (replay.what === 'delta' ? OUTPUT : SNAPSHOT)) return;
    replay.due -= data.byteLength - HEADER_BYTES;
    if (replay.due === 0) replay.lastByteAt = probe.lastMessageAt;
  };
}

function watchPainting(): void {
  const { probe } = globalThis;
  let pressedAt: number | null = null;
  /**
   * Judged by the scroll bar. A screen has about 200 lines above it, so that a sixth is visible; thousands leave
   * less.
   */
  const showsHistory = () => {
    const bar = document.querySelector('[role=tabpanel]:not([hidden]) .scrollbar.vertical');
    const slider = bar?.querySelector('.slider');
    return bar && slider ? slider.clientHeight < bar.clientHeight / 10 : false;
  };
  /** A message posted from a frame is delivered after that frame has been painted. */
  const painted = new MessageChannel();
  painted.port1.onmessage = () => {
    const now = performance.now();
    const rows = [...document.querySelectorAll('[role=tabpanel]:not([hidden]) .xterm-rows > div')];
    const text = rows.map((row) => (row.textContent ?? '').replaceAll('\u00a0', ' ').trimEnd()).join('\n');
    const hasKeyboard = document.activeElement?.classList.contains('xterm-helper-textarea') ?? false;
    if (hasKeyboard && /[#$]$/m.test(text)) probe.usableAt ??= now;
    const isFound = probe.wanted !== '' && text.includes(probe.wanted);
    if (isFound) probe.foundAt ??= now;
    for (const replay of probe.replays) {
      const isThere = isFound && (replay.what !== 'history' || showsHistory());
      if (isThere && replay.lastByteAt !== null) replay.paintedAt ??= now;
    }
    if (pressedAt !== null) probe.keysMs.push(now - pressedAt);
    pressedAt = null;
  };
  const changed = () => {
    probe.hasChanged = true;
    painted.port2.postMessage(null);
  };
  document.addEventListener('DOMContentLoaded', () => {
    new MutationObserver(changed).observe(document.body, {
      subtree: true,
      childList: true,
      characterData: true,
    });
    document.addEventListener('focusin', changed);
  });
  addEventListener(
    'keydown',
    (event) => {
      pressedAt = event.timeStamp;
    },
    { capture: true },
  );
}

function countFrames(): void {
  const { probe } = globalThis;
  const frame = () => {
    probe.frames++;
    if (probe.hasChanged) probe.changedFrames++;
    probe.hasChanged = false;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}
