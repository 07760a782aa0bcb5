import * as binding from '../../native/binding.cjs';

/** A second descriptor of what one is open for: closing one does not close the other. */
export function duplicateDescriptor(descriptor: number): number {
  return binding.duplicateDescriptor(descriptor);
}

/** Two descriptors that are connected with each other. */
export function connectedDescriptors(): [one: number, other: number] {
  const [one, other] = binding.connectedDescriptors();
  return [one as number, other as number];
}
