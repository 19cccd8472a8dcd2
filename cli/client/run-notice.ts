/** What a person is told about a run besides its output: what is missing, why it has not ended, and how to go on. */
import type { RunState } from '../../protocol/messages/run-state.ts';
import { printable } from '../../protocol/printable.ts';
import { printedAmount } from './amounts.ts';

/** `session` as it is written on a command line. Everything else comes from the machine. */
export function runNotice(run: RunState, session: string, seconds: number): string[] {
  const { command, omittedBytes } = run;
  const all =
    command === undefined
      ? ''
      : `; \`holdfast snapshot ${session} --command ${command}\` prints what is kept`;
  return [
    ...(omittedBytes > 0 ? [`${printedAmount(omittedBytes)} of the output are left out${all}`] : []),
    ...whyNotDone(run, session, seconds),
  ];
}

function whyNotDone(run: RunState, session: string, seconds: number): string[] {
  // A shell that does not report its commands does not tell of their end either.
  const waitOn =
    run.command === undefined
      ? `\`holdfast attach ${session}\` shows it`
      : `\`holdfast wait ${session} --command --since ${run.offset}\` waits for its end`;
  const program = printable(run.program ?? '') || 'the command';
  switch (run.state) {
    case 'done':
      return run.exitCode === null ? ['the shell did not tell the exit code'] : [];
    case 'running':
      return [`${program} is still running after ${seconds} s; ${waitOn}`];
    case 'needs_input':
      return [
        `${program} ${run.guessed ? 'seems to wait' : 'waits'} for input; answer it with \`holdfast attach ${session}\` or \`holdfast send\``,
      ];
    case 'taken_over':
      return [
        `${printable(run.by ?? '') || 'somebody'} has taken the keyboard; the command may still run, ${waitOn}`,
      ];
  }
}
