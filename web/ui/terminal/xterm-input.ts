/** Connects the user's keyboard, mouse and clipboard to a terminal. */
import type { Terminal } from '@xterm/xterm';
import { encodeKey } from '../../../protocol/terminal/keyboard/encode-key.ts';
import { modifierKey } from '../../../protocol/terminal/keyboard/functional-keys.ts';
import type { KeyModes } from '../../../protocol/terminal/keyboard/key-modes.ts';
import { pasteable } from './pasteable.ts';
import type { PageTerminalEvents } from './screen-events.ts';
import type { XtermTouch } from './xterm-touch.ts';

const USUAL_KEYS = { flags: 0, otherKeys: 0 } as const;

const FOCUS_REPORTS = ['\x1b[I', '\x1b[O'];

interface Listening {
  readonly events: PageTerminalEvents;
  readonly touch: XtermTouch;
  /** What the program has asked of the keyboard. */
  readonly keys: KeyModes;
  readonly isMac: boolean;
  readonly signal: AbortSignal;
}

export function listenToPerson(
  terminal: Terminal,
  host: HTMLElement,
  { events, touch, keys, isMac, signal }: Listening,
): void {
  const isUnasked = muteFirstFocusReport(terminal);
  terminal.onData((text) => {
    if (!(isUnasked() && FOCUS_REPORTS.includes(text))) events.typed(text);
  });
  terminal.onBinary((text) => events.typedBytes(Uint8Array.from(text, (char) => char.charCodeAt(0) & 0xff)));
  terminal.onSelectionChange(() => {
    if (terminal.hasSelection()) events.selected(terminal.getSelection());
  });
  terminal.parser.registerOscHandler(52, (data) => {
    events.clipboardAsked(data);
    return true;
  });
  const isForXterm = keyTyping(terminal, host, {
    modes: keys,
    hasPlainKeys: () => events.hasPlainKeys(),
    isMac,
    signal,
  });
  terminal.attachCustomKeyEventHandler(
    (event) => !isForThePage(terminal, events, event) && isForXterm(event),
  );
  const paste = (event: ClipboardEvent) => {
    event.preventDefault();
    event.stopPropagation();
    const text = pasteable(event.clipboardData?.getData('text/plain') ?? '');
    if (text !== '') events.pasted(text, terminal.modes.bracketedPasteMode);
  };
  host.addEventListener('paste', paste, { capture: true, signal });
  const menu = (event: MouseEvent) => {
    // Browsers open a menu after a long press, which selects text here.
    if (touch.isDown) return event.preventDefault();
    // A program that tracks the mouse gets the buttons; with Shift the browser shows its own menu.
    if (event.shiftKey || terminal.modes.mouseTrackingMode !== 'none') return;
    event.preventDefault();
    event.stopPropagation();
    events.menuAsked({ x: event.clientX, y: event.clientY });
  };
  host.addEventListener('contextmenu', menu, { capture: true, signal });
}

/**
 * xterm reports focus as soon as a program asks for focus reports, even when that request is part of a replay to a page
 * that has just loaded; a reload would then type into vim. The report is sent in the same parser step.
 */
function muteFirstFocusReport(terminal: Terminal): () => boolean {
  let isUnasked = false;
  terminal.parser.registerCsiHandler({ prefix: '?', final: 'h' }, (modes) => {
    if (modes.includes(1004)) {
      isUnasked = true;
      queueMicrotask(() => {
        isUnasked = false;
      });
    }
    return false;
  });
  return () => isUnasked;
}

/** Ctrl+C and Ctrl+V belong to the shell; with Shift they mean copy and paste, as in every terminal. */
function isForThePage(terminal: Terminal, events: PageTerminalEvents, event: KeyboardEvent): boolean {
  if (events.pressed(event)) return true;
  if (!event.ctrlKey || !event.shiftKey || event.altKey || event.metaKey) return false;
  if (event.code === 'KeyC') {
    event.preventDefault(); // the browser would open its inspector
    if (event.type === 'keydown' && terminal.hasSelection()) events.copied(terminal.getSelection());
    return true;
  }
  // The browser does the pasting, because unlike the page it needs no permission.
  return event.code === 'KeyV';
}

interface KeyOptions {
  readonly modes: KeyModes;
  readonly hasPlainKeys: () => boolean;
  readonly isMac: boolean;
  readonly signal: AbortSignal;
}

/**
 * Types keys in the way that the program has asked for; all others are left to xterm. Returns a handler that tells
 * whether xterm should see an event.
 */
function keyTyping(
  terminal: Terminal,
  host: HTMLElement,
  { modes, hasPlainKeys, isMac, signal }: KeyOptions,
): (event: KeyboardEvent) => boolean {
  const isSettling = watchCompositions(host, signal);
  return (event) => {
    // xterm types what was composed before this key.
    if (isSettling()) return true;
    const option = !isMac ? 'none' : terminal.options.macOptionIsMeta === true ? 'meta' : 'types';
    // A printed file must not take the keyboard from a shell, nor a program that has died.
    const { flags, otherKeys } = hasPlainKeys() ? USUAL_KEYS : modes;
    const hasHistory = terminal.buffer.active.type === 'normal';
    const encoded = encodeKey(event, { flags, otherKeys, option, hasHistory });
    if (encoded === 'terminal') return true;
    if (encoded === 'browser') return false;
    event.preventDefault();
    // A person's input clears the selection and scrolls down. Ctrl+Shift+C begins with two keys that must not.
    terminal.input(encoded.send, event.type === 'keydown' && modifierKey(event) === undefined);
    // xterm has something to do when a key is released, but does not type.
    return event.type === 'keyup';
  };
}

/** xterm reads what was composed a moment after the end of the composition. */
function watchCompositions(host: HTMLElement, signal: AbortSignal): () => boolean {
  let isSettling = false;
  const settle = () => {
    isSettling = true;
    setTimeout(() => {
      isSettling = false;
    });
  };
  host.addEventListener('compositionend', settle, { signal });
  return () => isSettling;
}
