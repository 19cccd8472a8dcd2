/** Tells a session what its program did, except what another agent process has told before, or what comes too late. */
import type { ScreenStart, SessionScreenEvents } from './screen-options.ts';
import type { ScreenEvent } from './thread-messages.ts';

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

/** `isLate`: whether a reply to what was printed at an offset comes too late. */
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
