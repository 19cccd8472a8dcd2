/** All tools, in the order in which they are listed. */
import type { ClientRole } from '../../protocol/roles.ts';
import type { Tool } from '../call/tool.ts';
import { closeTool, signalTool } from './end-tools.ts';
import { listSessionsTool } from './list-sessions.ts';
import { openSessionTool } from './open-session.ts';
import { readTool } from './read.ts';
import { runTool } from './run.ts';
import { keysTool, typeTool } from './typing-tools.ts';
import { waitTool } from './wait.ts';

export const TOOLS: readonly Tool[] = [
  listSessionsTool,
  openSessionTool,
  runTool,
  readTool,
  typeTool,
  keysTool,
  waitTool,
  signalTool,
  closeTool,
];

/** A viewer gets the tools that read. While the role is unknown, the relay decides. */
export function toolsFor(role: ClientRole | null): readonly Tool[] {
  return role === 'viewer' ? TOOLS.filter(({ isReading }) => isReading) : TOOLS;
}
