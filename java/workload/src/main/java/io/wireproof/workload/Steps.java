package io.wireproof.workload;

import java.io.PrintStream;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnsupportedVersionException;

/**
 * Runs the steps of a workload one after the other, and reports the outcome of each: a line of JSON on standard output.
 *
 * <p>A step that fails ends no other: what it sent was sent, and errors are part of what a broker says. The outcomes:
 *
 * <ul>
 *   <li>{@code done}
 *   <li>{@code refused}: the broker answered with an error, which is named
 *   <li>{@code unsupported}: the broker has no version of the API that this needs
 *   <li>{@code late}: no answer within the client's own limits
 *   <li>{@code absent}: the clients' jar is too old to have the call
 *   <li>{@code failed}: anything else
 * </ul>
 */
final class Steps {
    private final PrintStream out;

    Steps(PrintStream out) {
        this.out = out;
    }

    /** One thing that a client does. */
    @FunctionalInterface
    interface Step {
        void run() throws Exception;
    }

    /** Run one step, whatever becomes of it; whether it is done. */
    boolean step(String name, Step step) {
        long begin = System.nanoTime();
        String outcome = "done";
        String error = null;
        try {
            step.run();
        } catch (LinkageError tooOld) {
            outcome = "absent";
            error = tooOld.toString();
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
            outcome = "failed";
            error = "interrupted";
        } catch (Exception failure) {
            Throwable cause = cause(failure);
            outcome = outcome(cause);
            error = cause.toString();
        }
        report(name, outcome, error, (System.nanoTime() - begin) / 1_000_000);
        return error == null;
    }

    private static Throwable cause(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null
                && (cause instanceof ExecutionException || cause.getCause() instanceof ApiException)) {
            cause = cause.getCause();
        }
        return cause;
    }

    private static String outcome(Throwable cause) {
        if (cause instanceof UnsupportedVersionException) {
            return "unsupported";
        }
        if (cause instanceof TimeoutException || cause instanceof java.util.concurrent.TimeoutException) {
            return "late";
        }
        return cause instanceof ApiException ? "refused" : "failed";
    }

    private void report(String name, String outcome, String error, long millis) {
        StringBuilder line = new StringBuilder("{\"step\":").append(text(name));
        line.append(",\"outcome\":").append(text(outcome));
        if (error != null) {
            line.append(",\"error\":").append(text(error));
        }
        out.println(line.append(",\"ms\":").append(millis).append('}'));
        out.flush();
    }

    private static String text(String value) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char c : value.toCharArray()) {
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ' || c > '~') {
                quoted.append(String.format("\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
