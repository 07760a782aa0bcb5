// The engine is a native addon: it is loaded by Node, not bundled.
export default { serverExternalPackages: ['serval'] };
