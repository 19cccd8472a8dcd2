/** The agent with a secret in its environment, as a careless service manager would start it. */
process.env.CANARY = 'leaked';
process.env.LD_PRELOAD_CANARY = 'leaked';

await import('../../vm-agent/main.ts');
