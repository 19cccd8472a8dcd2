/**
 * Types for the parts of a headless xterm that we use; create-xterm.ts makes one.
 *
 * xterm's public interface has the cells but not the saved cursors, tab stops, charsets, link targets or parser state,
 * and without those a restored terminal is not the same. This file names exactly the internals we read, so that an
 * upgrade that moves one of them is noticed here (and by test/vm-agent/screen/xterm/xterm.test.ts, which uses each).
 */
import type { Terminal } from '@xterm/headless';
import type { ImagedCore } from '../../../protocol/terminal/images/terminal-images.ts';
import type { MarkedCore } from '../../../protocol/terminal/marks/mark-rows.ts';
import type { ResizedCore } from '../../../protocol/terminal/resizing.ts';
import type { MeasuringCore } from '../../../protocol/terminal/width/width-mode.ts';

/** Extended attributes of a cell. `_ext` is the value as set; the public getters change it under a link. */
export interface XtermExtended {
  readonly _ext: number;
  readonly urlId: number;
}

/** The pen's attributes: two packed words, and the extended attributes if `bg` has the flag. */
export interface XtermAttributes {
  readonly fg: number;
  readonly bg: number;
  readonly extended: XtermExtended;
}

/** A row. `_data` has three words per cell (content, fg, bg); text of several code points is in `_combined`. */
export interface XtermLine {
  readonly _data: Uint32Array;
  readonly _combined: Readonly<Record<number, string>>;
  readonly _extendedAttrs: Readonly<Record<number, XtermExtended | undefined>>;
  readonly length: number;
  readonly isWrapped: boolean;
}

export type XtermCharset = Readonly<Record<string, string>> | undefined;

export interface XtermBuffer {
  readonly lines: {
    readonly length: number;
    readonly maxLength: number;
    get(row: number): XtermLine | undefined;
  };
  readonly ybase: number;
  readonly x: number;
  readonly y: number;
  readonly scrollTop: number;
  readonly scrollBottom: number;
  readonly tabs: Readonly<Record<number, boolean | undefined>>;
  readonly savedX: number;
  readonly savedY: number;
  readonly savedCurAttrData: XtermAttributes;
  readonly savedCharset: XtermCharset;
}

/** Parameters of a sequence, owned by the parser: writing to `params` changes what later handlers see. */
interface XtermParams {
  readonly params: Int32Array;
  readonly length: number;
}

export interface XtermPayloadParser {
  put(data: Uint32Array, start: number, end: number): void;
  reset(): void;
}

interface CsiIdentifier {
  readonly prefix?: string;
  readonly intermediates?: string;
  readonly final: string;
}

interface XtermParser {
  readonly currentState: number;
  readonly precedingJoinState: number;
  setPrintHandler: MeasuringCore['_inputHandler']['_parser']['setPrintHandler'];
  readonly _oscParser: XtermPayloadParser & { readonly _id: number; start(): void };
  readonly _dcsParser: XtermPayloadParser & { hook(ident: number, params: XtermParams): void };
  reset(): void;
  readonly registerOscHandler: ImagedCore['_inputHandler']['_parser']['registerOscHandler'];
  readonly registerDcsHandler: ImagedCore['_inputHandler']['_parser']['registerDcsHandler'];
}

export interface XtermColorRequest {
  /** 0: query it. 1: set it. 2: reset it. */
  readonly type: 0 | 1 | 2;
  /** 0 to 255, 256 foreground, 257 background, 258 cursor; absent: all of the 256. */
  readonly index?: number;
  readonly color?: readonly [number, number, number];
}

export interface XtermLinkService {
  registerLink(link: { id?: string; uri: string }): number;
  addLineToLink(id: number, row: number): void;
  getLinkData(id: number): { id?: string; uri: string } | undefined;
}

interface XtermModes {
  readonly applicationCursorKeys: boolean;
  readonly applicationKeypad: boolean;
  readonly bracketedPasteMode: boolean;
  readonly cursorBlink: boolean | undefined;
  readonly cursorStyle: 'block' | 'underline' | 'bar' | undefined;
  readonly origin: boolean;
  readonly reverseWraparound: boolean;
  readonly sendFocus: boolean;
  readonly synchronizedOutput: boolean;
  readonly wraparound: boolean;
}

/** Everything a snapshot is written from; terminal-copy.ts copies it. */
export interface XtermState {
  readonly cols: number;
  readonly rows: number;
  readonly buffers: { readonly normal: XtermBuffer; readonly alt: XtermBuffer; readonly active: XtermBuffer };
  readonly options: { readonly convertEol: boolean; readonly cursorBlink: boolean };
  readonly coreService: {
    readonly isCursorHidden: boolean;
    readonly modes: { readonly insertMode: boolean };
    readonly decPrivateModes: XtermModes;
  };
  readonly coreMouseService: { readonly activeProtocol: string; readonly activeEncoding: string };
  readonly _charsetService: {
    readonly charset: XtermCharset;
    readonly glevel: number;
    readonly _charsets: readonly XtermCharset[];
  };
  readonly _oscLinkService: Pick<XtermLinkService, 'getLinkData'>;
  readonly _inputHandler: {
    readonly _parser: Pick<XtermParser, 'precedingJoinState'>;
    readonly _curAttrData: XtermAttributes;
    readonly _windowTitle: string;
    readonly _iconName: string;
  };
}

export interface XtermCore extends XtermState {
  readonly _bufferService: ResizedCore['_bufferService'];
  readonly _oscLinkService: XtermLinkService;
  readonly buffers: XtermState['buffers'] & MeasuringCore['buffers'] & MarkedCore['buffers'];
  registerCsiHandler(id: CsiIdentifier, handler: (params: XtermParams) => boolean): void;
  registerEscHandler: MeasuringCore['registerEscHandler'];
  readonly _inputHandler: XtermState['_inputHandler'] & {
    readonly _parser: XtermParser;
    readonly _dirtyRowTracker: ImagedCore['_inputHandler']['_dirtyRowTracker'];
    lineFeed(): boolean;
    print: MeasuringCore['_inputHandler']['print'];
    setTitle(title: string): void;
    setIconName(name: string): void;
    onColor(listener: (requests: readonly XtermColorRequest[]) => void): void;
    /** Parses synchronously. Returns nothing as long as no handler is asynchronous; ours are not. */
    parse(bytes: Uint8Array): void;
  };
}

export interface Xterm {
  readonly terminal: Terminal;
  readonly core: XtermCore;
}

/** Parser states (`currentState`) that other files distinguish. */
export const PARSER = {
  ground: 0,
  /** Escape, CSI and their intermediates: control characters inside are executed at once. */
  lastExecuting: 6,
  sosPmApc: 7,
  osc: 8,
  firstDcs: 9,
  /** A DCS that no handler will see, whatever follows. */
  dcsIgnore: 11,
  /** Everything that follows is the payload of a DCS. */
  dcsPassthrough: 13,
} as const;
