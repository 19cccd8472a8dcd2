/** Starts the agent as a child process, with one end of a socket pair as its descriptor 3. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { Socket, type SocketConstructorOpts } from 'node:net';
import { logEvent } from '../../node/log.ts';
import { KEEPER_FD } from './agent-socket.ts';
import { FrameSocket, type FrameSocketEvents } from './frame-socket.ts';
import type { AgentSocket } from './keeper.ts';
import type { AgentProcess, AgentProcessEvents } from './supervisor.ts';
import {
  KEEPER_CAPABILITIES_VARIABLE,
  KEEPER_VERSION,
  KEEPER_VERSION_VARIABLE,
  type KeeperCapability,
} from './versions.ts';
import type { KeeperFrame } from './wire.ts';

/** If memory is short, the kernel should end the agent before the programs, and those before the keeper. */
const AGENT_OOM_SCORE = '300';

/** Agents send little: input, credit, and now and then a screen. */
const READ_BYTES = 64 * 1024;

interface AgentCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** What its keeper can do. */
  readonly capabilities: readonly KeeperCapability[];
}

interface SocketEvents {
  received(frame: KeeperFrame): void;
  drained(): void;
}

const NO_SOCKET: AgentSocket = { isWritable: false, send() {}, sendLater() {} };

export function startAgent(
  { program, args, capabilities }: AgentCommand,
  socketEvents: SocketEvents,
  events: AgentProcessEvents,
): AgentProcess {
  const child = spawn(program, args, {
    // A session of its own: Ctrl-C in our terminal is for us, and we tell the agent.
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
    env: {
      ...process.env,
      [KEEPER_FD]: '3',
      [KEEPER_VERSION_VARIABLE]: `${KEEPER_VERSION}`,
      [KEEPER_CAPABILITIES_VARIABLE]: capabilities.join(','),
    },
  });
  // Node makes no streams if it has no descriptors for them; `error` follows.
  const made = child.stdio?.[3] as Socket | undefined;
  const socket = made === undefined ? undefined : readInPlace(made, (piece) => frames?.read(piece));
  const kill = () => void child.kill('SIGKILL');
  const frameEvents: FrameSocketEvents = {
    drained: () => socketEvents.drained(),
    received: (frame) => {
      const message = frame.kind === 'control' ? JSON.parse(frame.payload.toString()) : undefined;
      if (message?.type === 'booted') events.booted(message.version);
      else if (message?.type === 'pong') events.answered();
      else socketEvents.received(frame);
    },
    broken: (error) => {
      // Its state is unknown: another one starts from what is kept.
      logEvent('error', 'agent_broke_rules', { error: error.message });
      kill();
    },
  };
  const frames = socket === undefined ? null : new FrameSocket(descriptorOf(socket), socket, frameEvents);
  child.on('error', (error) => events.ended(null, error.message));
  child.on('exit', (code, signal) => {
    socket?.destroy();
    events.ended(code, signal ?? `exit code ${code}`);
  });
  if (child.pid !== undefined) setOomScore(child.pid, AGENT_OOM_SCORE);
  return { kill, socket: frames ?? NO_SOCKET };
}

/** Node tells neither otherwise. The descriptor does not block. */
interface WithHandle {
  _handle: { readonly fd: number } | null;
}

function descriptorOf(socket: Socket): number {
  return (socket as unknown as WithHandle)._handle?.fd ?? -1;
}

/**
 * The same connection, read into one buffer. The socket that Node makes for a child process takes 64 KiB of new memory
 * for each read, also for a frame of 20 bytes.
 */
function readInPlace(made: Socket, read: (piece: Buffer) => void): Socket {
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  const callback = (count: number): true => {
    read(buffer.subarray(0, count));
    return true;
  };
  const first = made as unknown as WithHandle;
  const options = { handle: first._handle, onread: { buffer, callback } };
  const socket = new Socket(options as unknown as SocketConstructorOpts);
  // Node would read the first one to its end when the process has ended.
  first._handle = null;
  socket.resume();
  return socket;
}

/** Raising it needs no privilege. Systems without /proc have no such score. */
export function setOomScore(pid: number, score: string): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, score);
  } catch {
    // The process may have ended, or may have a higher score already.
  }
}
