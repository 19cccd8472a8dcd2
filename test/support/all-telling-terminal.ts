/** A headless xterm that answers every query, to check what a filter lets through. */
import xterm from '@xterm/headless';

const TELLS_ALL = {
  getWinSizePixels: true,
  getCellSizePixels: true,
  getWinSizeChars: true,
  getWinState: true,
  getIconTitle: true,
  getWinTitle: true,
};

interface Core {
  writeSync(data: string | Uint8Array): void;
  _inputHandler: { onColor(listener: (events: readonly { type: number }[]) => void): void };
}

type Headless = InstanceType<typeof xterm.Terminal>;
const said = new WeakMap<Headless, string[]>();

/** Colours are reported by the browser part of xterm, which is missing here, so the request itself counts. */
const COLOUR_REPORT = 0;

export function allTellingTerminal(): Headless {
  const terminal = new xterm.Terminal({
    cols: 80,
    rows: 24,
    scrollback: 100,
    logLevel: 'off',
    allowProposedApi: true,
    windowOptions: TELLS_ALL,
  });
  const answers: string[] = [];
  said.set(terminal, answers);
  terminal.onData((data) => answers.push(data));
  coreOf(terminal)._inputHandler.onColor((events) => {
    if (events.some(({ type }) => type === COLOUR_REPORT)) answers.push('a colour');
  });
  return terminal;
}

/** What a fresh terminal types when it is given `output`. */
export function answersOf(output: string | Uint8Array, terminal: Headless = allTellingTerminal()): string {
  const answers = answersTo(terminal, output);
  terminal.dispose();
  return answers;
}

/** What this terminal types when it is given only `output`; it is reset afterwards. */
export function answersTo(terminal: Headless, output: string | Uint8Array): string {
  const answers = said.get(terminal) ?? [];
  answers.length = 0;
  coreOf(terminal).writeSync(output);
  terminal.reset();
  return answers.join('');
}

function coreOf(terminal: Headless): Core {
  return (terminal as unknown as { _core: Core })._core;
}
