/** Starts the agent as a child process, with one end of a socket pair as its descriptor 3. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { logEvent } from '../../node/log.ts';
import { KEEPER_FD } from './agent-socket.ts';
import { FrameSocket, type FrameSocketEvents } from './frame-socket.ts';
import type { AgentSocket } from './keeper.ts';
import type { AgentProcess, AgentProcessEvents } from './supervisor.ts';
import { KEEPER_VERSION, KEEPER_VERSION_VARIABLE } from './versions.ts';
import type { KeeperFrame } from './wire.ts';

/** If memory is short, the kernel should end the agent before the programs, and those before the keeper. */
const AGENT_OOM_SCORE = '300';

interface AgentCommand {
  readonly program: string;
  readonly args: readonly string[];
}

interface SocketEvents {
  received(frame: KeeperFrame): void;
  drained(): void;
}

const NO_SOCKET: AgentSocket = { isWritable: false, send() {}, sendLater() {} };

export function startAgent(
  { program, args }: AgentCommand,
  socketEvents: SocketEvents,
  events: AgentProcessEvents,
): AgentProcess {
  const child = spawn(program, args, {
    // A session of its own: Ctrl-C in our terminal is for us, and we tell the agent.
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
    env: { ...process.env, [KEEPER_FD]: '3', [KEEPER_VERSION_VARIABLE]: `${KEEPER_VERSION}` },
  });
  // Node makes no streams if it has no descriptors for them; `error` follows.
  const socket = child.stdio?.[3] as Socket | undefined;
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
  socket?.on('data', (piece: Buffer) => frames?.read(piece));
  child.on('error', (error) => events.ended(null, error.message));
  child.on('exit', (code, signal) => {
    socket?.destroy();
    events.ended(code, signal ?? `exit code ${code}`);
  });
  if (child.pid !== undefined) setOomScore(child.pid, AGENT_OOM_SCORE);
  return { kill, socket: frames ?? NO_SOCKET };
}

/** Node does not tell it otherwise. The descriptor does not block. */
function descriptorOf(socket: Socket): number {
  return (socket as unknown as { readonly _handle: { readonly fd: number } })._handle.fd;
}

/** Raising it needs no privilege. Systems without /proc have no such score. */
export function setOomScore(pid: number, score: string): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, score);
  } catch {
    // The process may have ended, or may have a higher score already.
  }
}
