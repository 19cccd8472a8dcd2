/**
 * The minimal program that puts a terminal on a socket: node-pty's own reader and writer, one `ws`, and nothing kept.
 * It does only what any such program would: it joins output into frames while more is coming, and it can limit the
 * bytes in flight. Arguments: the address to dial, and that limit (0: none).
 *
 * In: binary is typed; text is `{"hello": true}`, which is answered by itself, `{"start": [command, …args]}` once, then
 * `{"ack": bytes so far}`. Out: printed output, in binary.
 */
import { type IPty, spawn } from 'node-pty';
import { WebSocket } from 'ws';

const SHORT_READ_BYTES = 4096;
const FRAME_MAX_BYTES = 65_536;
const BATCH_MS = 4;

const [address = '', windowBytes = '0'] = process.argv.slice(2);
const window = Number(windowBytes) || Number.POSITIVE_INFINITY;
const socket = new WebSocket(address, { perMessageDeflate: false });
let pty: IPty | undefined;
let waiting: Buffer[] = [];
let waitingBytes = 0;
let timer: NodeJS.Timeout | undefined;
let sent = 0;
let acknowledged = 0;

function flush(): void {
  clearTimeout(timer);
  timer = undefined;
  if (waitingBytes === 0) return;
  socket.send(waiting.length === 1 ? (waiting[0] as Buffer) : Buffer.concat(waiting));
  sent += waitingBytes;
  waiting = [];
  waitingBytes = 0;
  if (sent - acknowledged >= window) pty?.pause();
}

function printed(chunk: Buffer): void {
  waiting.push(chunk);
  waitingBytes += chunk.length;
  // node-pty reads 64 KiB at most and often stops just short of a full page; less means that it has read all.
  if (chunk.length < SHORT_READ_BYTES - 64 || waitingBytes >= FRAME_MAX_BYTES) flush();
  else timer ??= setTimeout(flush, BATCH_MS);
}

interface Told {
  readonly hello?: true;
  readonly start?: readonly string[];
  readonly ack?: number;
}

function told(message: Told): void {
  if (message.hello) socket.send(JSON.stringify(message));
  if (message.start !== undefined) {
    const [command = '', ...args] = message.start;
    pty = spawn(command, args, { cols: 120, rows: 40, encoding: null, name: 'xterm-256color' });
    // With `encoding: null` the chunks are buffers, whatever the type says.
    pty.onData((chunk) => printed(chunk as unknown as Buffer));
  }
  if (message.ack !== undefined) {
    acknowledged = message.ack;
    if (sent - acknowledged < window) pty?.resume();
  }
}

socket.on('message', (data: Buffer, isBinary) => {
  if (isBinary) pty?.write(data);
  else told(JSON.parse(data.toString()));
});
socket.on('close', () => {
  pty?.kill();
  process.exit(0);
});
