/**
 * Runs inside the page, before its own scripts: notes when what happens there happens. Everything is by the page's own
 * clock, so that driving the browser costs nothing that is measured.
 */

/** What a measurement reads of the page. Times are milliseconds since its navigation began. */
export interface PageProbe {
  /** When a session was asked for, first. */
  askedAt: number | null;
  /** When the terminal had the keyboard and showed a prompt, painted. */
  usableAt: number | null;
  /** When the text that is looked for was painted. */
  foundAt: number | null;
  /** When the last message of the relay came, and when the page had nothing left to do after it. */
  lastMessageAt: number;
  /** From each key's press until something was painted. */
  readonly keysMs: number[];
  /** Frames that the browser made, and those in which the terminal changed. */
  frames: number;
  changedFrames: number;
}

declare global {
  var probe: PageProbe;
}

/** `wanted` is looked for in the rows of the terminal that is shown. Self-contained: it is sent to the page as text. */
export function installProbe(wanted: string): void {
  const found: PageProbe = {
    askedAt: null,
    usableAt: null,
    foundAt: null,
    lastMessageAt: 0,
    keysMs: [],
    frames: 0,
    changedFrames: 0,
  };
  globalThis.probe = found;
  let pressedAt: number | null = null;
  let hasChanged = false;

  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (data) {
    if (typeof data === 'string' && data.includes('"reattach_session"')) found.askedAt ??= performance.now();
    send.call(this, data);
  };
  const NativeSocket = WebSocket;
  globalThis.WebSocket = class extends NativeSocket {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols);
      this.addEventListener('message', ({ data }) => {
        if (data !== 'pong') found.lastMessageAt = performance.now();
      });
    }
  };

  /** A message posted from a frame is delivered after that frame has been painted. */
  const painted = new MessageChannel();
  painted.port1.onmessage = () => {
    const now = performance.now();
    const rows = [...document.querySelectorAll('[role=tabpanel]:not([hidden]) .xterm-rows > div')];
    const text = rows.map((row) => (row.textContent ?? '').replaceAll('\u00a0', ' ').trimEnd()).join('\n');
    const hasKeyboard = document.activeElement?.classList.contains('xterm-helper-textarea') ?? false;
    if (hasKeyboard && /[#$]$/m.test(text)) found.usableAt ??= now;
    if (wanted !== '' && text.includes(wanted)) found.foundAt ??= now;
    if (pressedAt !== null) found.keysMs.push(now - pressedAt);
    pressedAt = null;
  };
  const changed = () => {
    hasChanged = true;
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
  const frame = () => {
    found.frames++;
    if (hasChanged) found.changedFrames++;
    hasChanged = false;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}
