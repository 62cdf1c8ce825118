"""The ledger of one testee's known deviations.

A run receives a `Ledger` (as `KnownDeviations` of `proof.run.core.plan`) and an `audit` for its end. The
package `run` imports nothing of this package.
"""
