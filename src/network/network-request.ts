import * as z from 'zod';
import { coded } from '../validation/field-rules.js';

const remoteSchema = z.strictObject({
  url: coded('invalid_network_url', z.string()).nullish(),
  searchApiKey: coded('invalid_network_search_api_key', z.string()).nullish(),
  writeApiKey: coded('invalid_network_write_api_key', z.string()).nullish(),
});

const names = z.array(z.string()).nullish();

const shardSchema = z.strictObject({ remotes: names, addRemotes: names, removeRemotes: names });

/** Body of a change of the network: named entries are merged, `null` removes. */
export const networkChangeSchema = z
  .strictObject({
    remotes: coded(
      'invalid_network_remotes',
      z.record(z.string(), remoteSchema.nullable()),
    ).nullish(),
    shards: coded('invalid_network_shards', z.record(z.string(), shardSchema.nullable())).nullish(),
    previousShards: z.any().optional(),
    self: coded('invalid_network_self', z.string()).nullish(),
    leader: coded('invalid_network_leader', z.string()).nullish(),
    previousRemotes: z.any().optional(),
  })
  .meta({ id: 'NetworkChange' });

/** A checked change of the network. */
export type NetworkChange = z.output<typeof networkChangeSchema>;
