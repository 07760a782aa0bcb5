import * as z from 'zod';
import { requireFeature } from '../../features/feature.js';
import { enterpriseOnly } from '../../network/merge-network.js';
import { networkChangeSchema } from '../../network/network-request.js';
import type { NetworkStore } from '../../network/network-store.js';
import { type AnyRoute, route } from '../route.js';
import type { Services } from '../services.js';

/** The servers that this one may ask. */
export const networkRoutes = ({ network, features }: Services): AnyRoute[] => {
  const requireNetwork = (path: string): void =>
    requireFeature(features.all(), 'network', `Using the ${path} route`);
  return [
    route({
      method: 'GET',
      path: '/network',
      actions: ['network.get'],
      handle: () => {
        requireNetwork('/network');
        return shownNetwork(network);
      },
    }),
    route({
      method: 'PATCH',
      path: '/network',
      actions: ['network.update'],
      body: networkChangeSchema,
      handle: async ({ body }) => {
        requireNetwork('/network');
        await network.change(body);
        return shownNetwork(network);
      },
    }),
    route({
      method: 'POST',
      path: '/network/control',
      actions: ['network.update'],
      body: z.any(),
      handle: () => {
        requireNetwork('/network/control');
        throw enterpriseOnly('call this route');
      },
    }),
  ];
};

function shownNetwork(network: NetworkStore): object {
  const { self, remotes, shards, leader, version } = network.current;
  const shown = Object.entries(remotes).map(([name, remote]) => {
    const status = network.isAvailable(name) ? 'available' : 'unavailable';
    return [name, { ...remote, status }] as const;
  });
  return { self, remotes: Object.fromEntries(shown), shards, leader, version };
}
