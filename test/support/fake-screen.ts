/** Screens without threads: they store what is written to them, and the test decides when they take snapshots. */
import type { Size } from '../../protocol/frame.ts';
import type { Theme } from '../../protocol/messages/message-parts.ts';
import type { OpenScreen, SessionScreen } from '../../vm-agent/output/session-output.ts';
import type { SessionScreenEvents } from '../../vm-agent/screen/screen-options.ts';
import type { Snapshot, SnapshotRequest, Taken } from '../../vm-agent/screen/snapshot.ts';

export class FakeScreen implements SessionScreen {
  readonly events: SessionScreenEvents;
  size: Size;
  text = '';
  theme: Theme | undefined;
  watched = false;
  isAlternate = false;
  closed = false;
  /** Whether snapshots are taken at once, or only when `takes` is called. */
  isPrompt = true;
  isLost = false;
  isTooLarge = false;
  /** Whether it draws what is written to it at once, or never. */
  isSlow = false;
  /** How often little was to be left to draw. */
  drains = 0;
  behind = 0;
  /** Length of the history, which a snapshot of the screen alone does not include. */
  historyLines = 0;
  /** How many extra bytes a snapshot has. */
  paddingBytes = 0;
  /** How many snapshots were requested. */
  asked = 0;
  #take: () => void = () => {};

  constructor(size: Size, events: SessionScreenEvents) {
    this.size = size;
    this.events = events;
  }

  write(_offset: number, bytes: Uint8Array): void {
    this.text += new TextDecoder().decode(bytes);
  }

  resize(_offset: number, size: Size): void {
    this.size = size;
  }

  hasDrawn(): boolean {
    return !this.isSlow;
  }

  drain(): Promise<void> {
    this.drains++;
    return Promise.resolve();
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
  }

  /** The snapshot is the text so far; its last `behind` bytes count as not yet parsed. */
  snapshot({ scope }: Pick<SnapshotRequest, 'scope'>): Promise<Taken> {
    this.asked++;
    return new Promise((resolve) => {
      const taken = () => (this.isTooLarge ? 'too large' : this.#picture(scope === 'all'));
      this.#take = () => resolve(this.isLost ? undefined : taken());
      if (this.isPrompt) this.#take();
    });
  }

  /** Takes the requested snapshot. */
  takes(): Promise<void> {
    this.#take();
    return Promise.resolve();
  }

  #picture(isWhole: boolean): Snapshot {
    const all = new TextEncoder().encode(this.text);
    const offset = all.length - this.behind;
    const deflated = new TextEncoder().encode(
      `${isWhole && this.historyLines > 0 ? 'history and ' : ''}screen@${offset}${' '.repeat(this.paddingBytes)}`,
    );
    const linesAbove = isWhole ? 0 : this.historyLines;
    const rest = all.slice(offset);
    const replay = rest.length === 0 ? [] : [{ kind: 'output' as const, offset, bytes: rest, queuedAt: 0 }];
    return {
      offset,
      size: this.size,
      title: '',
      cwd: null,
      deflated,
      bytes: 0,
      linesAbove,
      replay,
      end: all.length,
    };
  }

  close(): void {
    this.closed = true;
  }
}

/** Opens screens and keeps them, newest last. */
export function fakeScreens(): { readonly openScreen: OpenScreen; readonly screens: FakeScreen[] } {
  const screens: FakeScreen[] = [];
  return {
    screens,
    openScreen: (size, { events, theme }) => {
      const screen = new FakeScreen(size, events);
      screen.theme = theme;
      screens.push(screen);
      return screen;
    },
  };
}
