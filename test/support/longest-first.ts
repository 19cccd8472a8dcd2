/**
 * Starts the slowest test files first, so that none of them is still running when all others are done. The files of a
 * project that share processes follow each other: a process ends when the next file in the queue is of another project.
 */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Ordered by their duration on two cores; much of it is waiting. */
const LONGEST = [
  'test/e2e/page-tabs.test.ts',
  'test/e2e/page.test.ts',
  'test/e2e/page-hidden.test.ts',
  'test/e2e/page-login.test.ts',
  'test/repository/package.test.ts',
  'test/e2e/page-marks.test.ts',
  'test/e2e/page-terminal.test.ts',
  'test/worker/workspace/relay-bounds-api.test.ts',
  'test/e2e/page-hostile.test.ts',
  'test/e2e/cuts.test.ts',
  'test/e2e/fresh-clone.test.ts',
  'test/worker/workspace/relay-bounds.test.ts',
  'test/e2e/api-stream.test.ts',
  'test/e2e/page-outage.test.ts',
  'test/e2e/failures.test.ts',
  'test/e2e/page-touch.test.ts',
  'test/e2e/npm-start.test.ts',
  'test/e2e/state-directory.test.ts',
  'test/e2e/agent.test.ts',
  'test/e2e/keeper.test.ts',
  'test/e2e/client-commands.test.ts',
  'test/e2e/relay-command.test.ts',
  'test/e2e/api-refusals.test.ts',
  'test/e2e/page-restart.test.ts',
  'test/e2e/page-access.test.ts',
  'test/e2e/page-looks.test.ts',
  'test/e2e/page-liveness.test.ts',
  'test/e2e/page-stories.test.ts',
  'test/e2e/page-grace.test.ts',
  'test/e2e/attach.test.ts',
  'test/repository/library.test.ts',
  'test/e2e/page-keys.test.ts',
  'test/worker/gate/gate.test.ts',
  'test/e2e/network-change.test.ts',
  'test/e2e/page-shared.test.ts',
  'test/e2e/agent-sessions.test.ts',
  'test/worker/workspace/hibernation.test.ts',
  'test/vm-agent/pty/spawn-pty-descriptors.test.ts',
  'test/e2e/agent-leg-cut.test.ts',
  'test/e2e/agent-key.test.ts',
  'test/e2e/replay-safety.test.ts',
  'test/chaos/chaos.test.ts',
  'test/e2e/page-lid.test.ts',
  'test/load/load.test.ts',
  'test/worker/http/canary.test.ts',
  'test/e2e/flow.test.ts',
  'test/e2e/commands.test.ts',
  'test/e2e/api-terminal.test.ts',
  'test/repository/chromium-search.test.ts',
];

/** Files with a process each come first if they take long, else between these two. */
const ORDER: Readonly<Record<string, number>> = { stories: 1, together: 3 };

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const index = LONGEST.indexOf(relative(ROOT, moduleId));
      return index < 0 ? LONGEST.length : index;
    };
    const apart = (file: TestSpecification) => (place(file) < LONGEST.length ? 0 : 2);
    const group = (file: TestSpecification) => ORDER[file.project.name] ?? apart(file);
    return (await super.sort(files)).toSorted((a, b) => group(a) - group(b) || place(a) - place(b));
  }
}
