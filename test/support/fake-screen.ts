/** Screens without threads: they keep what they were given, and ask and answer when told to. */
import type { Size } from '../../protocol/frame.ts';
import type { ScreenEvents } from '../../vm-agent/screen/screen.ts';
import type { OpenScreen, SessionScreen } from '../../vm-agent/session.ts';

export class FakeScreen implements SessionScreen {
  readonly events: ScreenEvents;
  size: Size;
  text = '';
  watched = false;
  closed = false;

  constructor(size: Size, events: ScreenEvents) {
    this.size = size;
    this.events = events;
  }

  write(_offset: number, bytes: Uint8Array): void {
    this.text += new TextDecoder().decode(bytes);
  }

  resize(_offset: number, size: Size): void {
    this.size = size;
  }

  snapshot(): Promise<undefined> {
    return Promise.resolve(undefined);
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
    openScreen: (size, { events }) => {
      const screen = new FakeScreen(size, events);
      screens.push(screen);
      return screen;
    },
  };
}
