/**
 * The least that could put a terminal on a socket: node-pty's own reader and writer, one `ws`, and nothing
 * kept. Arguments: the address to dial, then the command and its arguments.
 */
import { spawn } from 'node-pty';
import { WebSocket } from 'ws';

const [address = '', command = '', ...args] = process.argv.slice(2);

const socket = new WebSocket(address, { perMessageDeflate: false });
socket.on('open', () => {
  const pty = spawn(command, args, { cols: 120, rows: 40, encoding: null, name: 'xterm-256color' });
  // With `encoding: null` the chunks are buffers, whatever the type says.
  pty.onData((chunk) => socket.send(chunk as string | Buffer));
  socket.on('message', (data: Buffer) => pty.write(data));
  socket.on('close', () => {
    pty.kill();
    process.exit(0);
  });
});
