/**
 * The terminals that receive hostile output: the agent's screen, the page's terminal behind its handlers, and those
 * behind the filters of `/terminal/ws` and `attach`. The page's terminal is headless here: its parser is the same.
 */
import xterm from '@xterm/headless';
import { type ImagedCore, TerminalImages } from '../../protocol/terminal/images/terminal-images.ts';
import { CharacterJoiner } from '../../protocol/utf8.ts';
import { Emulator, encodeText } from '../../vm-agent/screen/emulator.ts';
import { PAYLOAD_MAX_CHARS } from '../../vm-agent/screen/limits.ts';
import { restrictOutput } from '../../web/ui/terminal/hostile-output.ts';
import { filterFaults } from './filter-faults.ts';
import { type Finding, finding, HANG_MS, undisturbedMs } from './finding.ts';

const SIZE = { cols: 80, rows: 24 };
/** Answers to queries are short; more than this for one stream is a way to type. */
const ANSWERS_MAX_CHARS = 64 * 1024;

/** What no stream may do; usually nothing. */
export async function tryStream(stream: Uint8Array<ArrayBuffer>): Promise<Finding[]> {
  return [...(await tryAgent(stream)), ...(await tryPage(stream)), ...tryFilters(stream)];
}

function tryFilters(stream: Uint8Array<ArrayBuffer>): Finding[] {
  return filterFaults(stream).map((why) => finding('terminal filter', why, stream));
}

async function tryAgent(stream: Uint8Array<ArrayBuffer>): Promise<Finding[]> {
  const found: string[] = [];
  let answers = 0;
  const ms = await undisturbedMs(() => {
    answers = 0;
    const screen = emulator((text) => {
      answers += text.length;
    });
    screen.write(stream);
    if (screen.faults > 0) found.push('made the agent’s screen fail');
    if (screen.pendingBytes.length > 4 * PAYLOAD_MAX_CHARS) found.push('was hoarded as a sequence to come');
    found.push(...tryReplay(screen));
    screen.dispose();
  });
  if (ms > HANG_MS) found.push(`took the agent’s screen ${ms} ms`);
  if (answers > ANSWERS_MAX_CHARS) found.push(`was answered by ${answers} characters`);
  return [...new Set(found)].map((why) => finding('agent screen', why, stream));
}

/** A replay types nothing, into the agent's own screens and into a page. */
function tryReplay(screen: Emulator): string[] {
  const found: string[] = [];
  const snapshot = encodeText([...screen.text.pieces('ansi', 'all')]);
  const copy = emulator(() => found.push('is answered when its screen is restored'));
  copy.restore(snapshot);
  copy.dispose();
  if (pageSays(new Uint8Array(snapshot)) !== '') found.push('makes a page type when its screen is replayed');
  return found;
}

async function tryPage(stream: Uint8Array<ArrayBuffer>): Promise<Finding[]> {
  let said = '';
  const found: string[] = [];
  const ms = await undisturbedMs(() => {
    try {
      said = pageSays(stream);
    } catch (error) {
      found.push(`made the page’s terminal throw ${error}`);
    }
  });
  if (said !== '') found.push(`made the page type ${JSON.stringify(said.slice(0, 100))}`);
  if (ms > HANG_MS) found.push(`took the page’s terminal ${ms} ms`);
  return [...new Set(found)].map((why) => finding('page terminal', why, stream));
}

type PageCore = ImagedCore & { writeSync(data: Uint8Array): void };

function pageSays(stream: Uint8Array<ArrayBuffer>): string {
  const terminal = new xterm.Terminal({ ...SIZE, scrollback: 1000, logLevel: 'off', allowProposedApi: true });
  let said = '';
  terminal.onData((text) => {
    said += text;
  });
  restrictOutput(terminal);
  const { _core: core } = terminal as unknown as { _core: PageCore };
  new TerminalImages(core);
  core.writeSync(new CharacterJoiner().take(stream));
  terminal.dispose();
  return said;
}

function emulator(answer: (text: string) => void): Emulator {
  const events = {
    answer,
    report: answer,
    title: () => {},
    progress: () => {},
    cwd: () => {},
    bell: () => {},
  };
  return new Emulator({ size: SIZE, scrollbackLines: 1000, events });
}
