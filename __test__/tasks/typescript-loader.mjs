import { register } from 'node:module';

// Lets a plain Node process of a test run our TypeScript as it stands.
register('./typescript-hooks.mjs', import.meta.url);
