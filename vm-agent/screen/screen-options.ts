/** What a screen tells its session, and what it needs from its session and its pool. */
import type { Theme } from '../../protocol/messages/message-parts.ts';
import type { SessionProgress } from '../../protocol/messages/session-info.ts';
import type { FeedHome } from './output-feed.ts';
import type { Notice } from './sequences/notices.ts';
import type { ThreadLink } from './thread-link.ts';
import type { ScreenEvent } from './thread-messages.ts';

/** A notice, and the offset after it. */
export interface ScreenNotice extends Notice {
  readonly offset: number;
}

export interface SessionScreenEvents {
  /** The terminal's reply to a query by the program; written to the PTY like typed input. */
  answer(bytes: Uint8Array): void;
  title(title: string): void;
  /** How far the program's work is; null: it reports no more. */
  progress(progress: SessionProgress | null): void;
  cwd(path: string): void;
  bell(): void;
  /** The program calls a person, with a text or by the bell. */
  noticed?(notice: ScreenNotice): void;
  /** While full, the program must be paused. */
  full(isFull: boolean): void;
  /** The thread died; the screen was rebuilt from `history`, or is lost. */
  rebuilt(): void;
}

/** A screen that continues where another agent process was. */
export interface ScreenStart {
  /** The offset of the first byte that will be written. */
  readonly offset: number;
  /** Output that draws the state at that offset on a blank terminal; empty if that is not known. */
  readonly drawing: Uint8Array;
  /**
   * Queries before this offset are not answered: the other process has done it, or the program has given up waiting.
   */
  readonly silentUntil: number;
  /** Notices before this offset are not told, because the other process has done it; by default as for queries. */
  readonly noticedUntil?: number | undefined;
}

export interface SessionScreenOptions {
  readonly scrollbackLines: number;
  readonly events: SessionScreenEvents;
  readonly theme?: Theme;
  /** The version of the model that measures text; by default the newest. */
  readonly widths?: string | undefined;
  /** What proves that a mark was made by our script in the shell; by default no mark is verified. */
  readonly marksNonce?: string | null | undefined;
  /** Where its output begins, unless it is a blank terminal at offset 0. */
  readonly from?: ScreenStart | undefined;
  /** Output before `offset` that is still held, to rebuild a screen whose thread died. */
  readonly history?: (before: number) => Uint8Array;
}

/** What a screen needs from its pool. */
export interface ScreenHome extends FeedHome {
  /** The thread for a screen that wakes. */
  thread(): ThreadLink;
  /** How many characters of images a screen that falls asleep may keep. */
  readonly imageRoom: number;
  /** The screen woke, fell asleep, was closed or is no longer watched: too many may be awake now. */
  settled(): void;
}

const encoder = new TextEncoder();

/** Offsets up to which another process has been heard. Output is parsed apart before and after each of them. */
export class HeardBefore {
  readonly #silentUntil: number;
  readonly #noticedUntil: number;

  constructor(from: ScreenStart | undefined) {
    this.#silentUntil = from?.silentUntil ?? 0;
    this.#noticedUntil = from?.noticedUntil ?? this.#silentUntil;
  }

  /** Where `length` bytes at `offset` must be cut: how many of them come before each cut. */
  cutsIn(offset: number, length: number): number[] {
    const cuts = [this.#noticedUntil - offset, this.#silentUntil - offset].sort((a, b) => a - b);
    return cuts.filter((cut, i) => cut > 0 && cut <= length && cut !== cuts[i - 1]);
  }

  isAnswered({ at }: ScreenEvent): boolean {
    return at < this.#silentUntil;
  }

  isNoticed({ at }: ScreenEvent): boolean {
    return at < this.#noticedUntil;
  }
}

/**
 * Tells a session what its program did, except what another agent process has told before. `isLate`: whether a reply to
 * what was printed at an offset comes too late.
 */
export function tellEvent(
  event: ScreenEvent,
  events: SessionScreenEvents,
  { heard, isLate }: { readonly heard: HeardBefore; readonly isLate: (offset: number) => boolean },
): void {
  switch (event.kind) {
    case 'bell':
      events.bell();
      if (!heard.isNoticed(event)) events.noticed?.({ text: '', isLow: false, offset: event.to });
      return;
    case 'notice': {
      const { text, isLow, to } = event;
      if (!heard.isNoticed(event)) events.noticed?.({ text, isLow, offset: to });
      return;
    }
    case 'title':
      return events.title(event.text);
    case 'progress':
      return events.progress(event.progress);
    case 'cwd':
      return events.cwd(event.text);
    case 'report':
    case 'answer':
      if (heard.isAnswered(event) || (event.kind === 'answer' && isLate(event.at))) return;
      return events.answer(encoder.encode(event.text));
  }
}
