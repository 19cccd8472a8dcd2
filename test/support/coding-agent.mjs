/**
 * A program that uses its terminal as coding agents do: a title that says what it does, a spinner that is redrawn, a
 * prompt of several lines (Shift+Enter by the kitty keyboard protocol, bracketed paste), and a notification (OSC 9)
 * when it wants permission. It "thinks" for as long as the file of its first argument does not exist.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const [, , go] = process.argv;
const ESC = '\x1b';
const write = (text) => process.stdout.write(text);
const title = (text) => write(`${ESC}]0;${text}\x07`);

/** What it does with the next key: it edits a prompt, works, or asks. */
let state = 'edits';
let prompt = '';
let paste = null;

function edit() {
  state = 'edits';
  prompt = '';
  title('✳ Ready');
  write('> ');
}

function submit() {
  write(`\r\nprompt ${JSON.stringify(prompt)}\r\n`);
  state = 'works';
  title(`✳ ${prompt.split('\n')[0]}`);
  write(`${ESC}]9;4;3\x07`);
  let turns = 0;
  const timer = setInterval(() => {
    write(`\r${ESC}[K${'·✢✳✶'[turns++ % 4]} Working…`);
    if (!existsSync(go)) return;
    clearInterval(timer);
    ask();
  }, 40);
}

function ask() {
  state = 'asks';
  write(`${ESC}]9;4;0\x07\r${ESC}[KRun this command?\r\n  echo tested\r\n❯ 1. Yes\r\n  2. No\r\n`);
  title('✳ Permission');
  write(`${ESC}]9;Needs your permission to run echo tested\x07`);
}

function answer(key) {
  if (key !== '1' && key !== '2') return;
  const { stdout } = key === '1' ? spawnSync('echo', ['tested']) : { stdout: 'not run\n' };
  write(`⏺ ${String(stdout).trim()}\r\n`);
  edit();
}

function type(text) {
  prompt += text;
  write(text.replaceAll('\n', '\r\n  '));
}

function end() {
  write(`${ESC}[<u${ESC}[?2004l${ESC}]0;\x07\r\n`);
  process.exit(0);
}

/** One key, or the beginning or the end of a paste. */
function pressed(key) {
  if (key === `${ESC}[200~`) paste = '';
  else if (key === `${ESC}[201~`) {
    type((paste ?? '').replace(/\r\n?/g, '\n'));
    paste = null;
  } else if (paste !== null) paste += key;
  else if (key === '\x03' || key === `${ESC}[99;5u`) end();
  else if (state === 'asks') answer(key);
  else if (state !== 'edits') return;
  else if (key === `${ESC}[13;2u`) type('\n');
  else if (key === '\r') submit();
  else if (!key.startsWith(ESC)) type(key);
}

process.stdin.setRawMode(true);
process.stdin.setEncoding('utf8');
// biome-ignore lint/suspicious/noControlCharactersInRegex: sequences begin with an escape character
process.stdin.on('data', (text) => (text.match(/\x1b\[[\d;]*[~u]|./gsu) ?? []).forEach(pressed));
write(`${ESC}[>1u${ESC}[?2004h`);
write('Welcome\r\n');
edit();
