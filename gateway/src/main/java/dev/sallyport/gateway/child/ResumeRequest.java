package dev.sallyport.gateway.child;

import org.jspecify.annotations.Nullable;

/** The body of a resume: what to do next. Everything else is as the resumed child was asked for. */
record ResumeRequest(@Nullable String prompt, @Nullable String description) {}
