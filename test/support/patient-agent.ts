/**
 * The agent with a clock that almost stands still. To it no client is ever late, so that a test about lossless delivery
 * does not depend on how busy the machine is. Timers run normally.
 */
const SLOWER = 1_000;

const truth = performance.now.bind(performance);
performance.now = () => truth() / SLOWER;

await import('../../vm-agent/main.ts');
