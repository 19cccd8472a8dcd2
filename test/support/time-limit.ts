/**
 * How long a test may take before it counts as hanging. A busy machine may take its time: tests wait for events, so
 * passing ones never use it. A test that waits for real time has as much on top of that, never less.
 */
export const TEST_WITHIN_MS = 240_000;
