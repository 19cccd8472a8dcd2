/** The agent on a machine whose clock is three days off and constantly jumps back and forth by hours. */
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const JUMP_EVERY_CALLS = 20;

const truth = Date.now.bind(Date);
let calls = 0;
Date.now = () => {
  const jump = Math.floor(calls++ / JUMP_EVERY_CALLS) % 2 === 0 ? HOUR_MS : -HOUR_MS;
  return truth() - 3 * DAY_MS + jump;
};

await import('../../vm-agent/main.ts');
