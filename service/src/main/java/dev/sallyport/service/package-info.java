@NullMarked
package dev.sallyport.service;

import org.jspecify.annotations.NullMarked;
