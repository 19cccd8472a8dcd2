/** A headless xterm that tells whatever it is asked, to see what a filter lets through. */
import xterm from '@xterm/headless';

const TELLS_ALL = {
  getWinSizePixels: true,
  getCellSizePixels: true,
  getWinSizeChars: true,
  getWinState: true,
  getIconTitle: true,
  getWinTitle: true,
};

export function allTellingTerminal() {
  return new xterm.Terminal({
    cols: 80,
    rows: 24,
    scrollback: 100,
    logLevel: 'off',
    allowProposedApi: true,
    windowOptions: TELLS_ALL,
  });
}

type Headless = ReturnType<typeof allTellingTerminal>;

/** What it types when it is shown `output`. */
export function answersOf(output: string | Uint8Array, terminal: Headless = allTellingTerminal()): string {
  let said = '';
  terminal.onData((data) => {
    said += data;
  });
  // Colours are reported by the browser's part of xterm, which tells the core's requests from its own.
  const { _core: core } = terminal as unknown as {
    _core: {
      writeSync(data: string | Uint8Array): void;
      _inputHandler: { onColor(listener: (events: readonly { type: number }[]) => void): void };
    };
  };
  core._inputHandler.onColor((events) => {
    if (events.some(({ type }) => type === COLOUR_REPORT)) said += 'colour';
  });
  core.writeSync(output);
  terminal.dispose();
  return said;
}

const COLOUR_REPORT = 0;
