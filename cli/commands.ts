/** Every command there is. */
import { agentCommand } from './agent-command.ts';
import { agentKeyCommand } from './client/agent-key-command.ts';
import { attachCommand } from './client/attach-command.ts';
import { auditCommand } from './client/audit-command.ts';
import { killCommand } from './client/kill-command.ts';
import { lsCommand } from './client/ls-command.ts';
import { newCommand } from './client/new-command.ts';
import { sendCommand } from './client/send-command.ts';
import { snapshotCommand } from './client/snapshot-command.ts';
import { waitCommand } from './client/wait-command.ts';
import type { Command } from './command.ts';
import { completionCommand } from './completion-command.ts';
import { relayCommand } from './relay-command.ts';
import { tokenCommand } from './token-command.ts';

export const COMMANDS: readonly Command[] = [
  lsCommand,
  newCommand,
  attachCommand,
  sendCommand,
  snapshotCommand,
  waitCommand,
  killCommand,
  auditCommand,
  relayCommand,
  agentCommand,
  tokenCommand,
  agentKeyCommand,
  completionCommand,
];
